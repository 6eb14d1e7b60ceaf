/** The steps of the ladder as contenders. */
import { join } from 'node:path';
import { freePort } from '../../../local/servers/ports.ts';
import type { Contender } from '../contender.ts';
import type { GatewayStores } from '../gateway-stores.ts';
import { startServerProcess } from '../server-process.ts';

const entry = join(import.meta.dir, 'main.ts');

export const textStep = step('text', 'Elysia; body and answer as text, `JSON.parse`, `fetch`');

export const readerStep = step('reader', 'Elysia; every chunk read and written in JavaScript without inspecting it');

export function walletStepOn({ keys, helpers, booked, proxyEnvironment }: GatewayStores): Contender {
  const { name, description, start } = step(
    'wallet',
    'also checks the key, and reserves and settles in Redis',
    proxyEnvironment,
  );
  const startPaid: Contender['start'] = async (upstreamPort) => ({
    ...(await start(upstreamPort)),
    keys,
    helpers,
    settled: booked,
  });
  return { name, description, start: startPaid };
}

function step(name: string, description: string, environment: Readonly<Record<string, string>> = {}): Contender {
  return {
    name,
    description,
    start: async (upstreamPort) => {
      const port = await freePort();
      return startServerProcess({
        name,
        port,
        command: [process.execPath, entry, name, String(port), String(upstreamPort)],
        environment: { BUN_CONFIG_MAX_HTTP_REQUESTS: '65535', ...environment },
      });
    },
  };
}
