/**
 * The steps between bare Bun and the gateway:
 * `bun bench/contenders/ladder/main.ts text|client|reader PORT UPSTREAM_PORT`.
 */
import { Elysia } from 'elysia';
import { byClient, byFetch, forwardText } from './forward-text.ts';
import { readThrough } from './read-through.ts';

const [mode, port, upstreamPort] = process.argv.slice(2);
const url = `http://127.0.0.1:${upstreamPort}/v1/chat/completions`;
const handle = handlerOf(mode);

new Elysia({ normalize: false })
  .post('/v1/chat/completions', ({ request }) => handle(request), { parse: 'none' })
  .listen({ hostname: '127.0.0.1', port: Number(port), reusePort: false, idleTimeout: 0 });

function handlerOf(mode: string | undefined): (request: Request) => Promise<Response> {
  if (mode === 'text') return (request) => forwardText(request, url, byFetch);
  if (mode === 'client') {
    const send = byClient();
    return (request) => forwardText(request, url, send);
  }
  if (mode === 'reader') return (request) => readThrough(request, url);
  throw new Error(`there is no step '${mode}'`);
}
