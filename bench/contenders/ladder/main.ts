/**
 * The steps between bare Bun and the gateway:
 * `bun bench/contenders/ladder/main.ts text|wallet|reader PORT UPSTREAM_PORT`.
 */
import { Elysia } from 'elysia';
import { forwardText } from './forward-text.ts';
import { readThrough } from './read-through.ts';
import { connectWallet } from './wallet.ts';

const [mode, port, upstreamPort] = process.argv.slice(2);
const url = `http://127.0.0.1:${upstreamPort}/v1/chat/completions`;
const handle = await handlerOf(mode);

new Elysia({ normalize: false })
  .post('/v1/chat/completions', ({ request }) => handle(request), { parse: 'none' })
  .listen({ hostname: '127.0.0.1', port: Number(port), reusePort: false, idleTimeout: 0 });

async function handlerOf(mode: string | undefined): Promise<(request: Request) => Promise<Response>> {
  if (mode === 'text') return (request) => forwardText(request, url);
  if (mode === 'reader') return (request) => readThrough(request, url);
  if (mode !== 'wallet') throw new Error(`there is no step '${mode}'`);
  const begin = await connectWallet();
  return (request) => forwardText(request, url, begin);
}
