/** The steps of the ladder as contenders. */

import { join } from 'node:path';
import runtimeEnvironment from '../../../local/npm/runtime-environment.json' with { type: 'json' };
import { freePort } from '../../../local/servers/ports.ts';
import type { Contender } from '../contender.ts';
import { startServerProcess } from '../server-process.ts';

const entry = join(import.meta.dir, 'main.ts');

export const textStep = step('text', 'Elysia; body and answer as text, `JSON.parse`, `fetch`');

export const readerStep = step('reader', 'Elysia; every chunk read and written in JavaScript without inspecting it');

export const clientStep = step('client', 'the same over the gateway’s own connections, instead of `fetch`');

function step(name: string, description: string): Contender {
  return {
    name,
    description,
    start: async (upstreamPort) => {
      const port = await freePort();
      return startServerProcess({
        name,
        port,
        command: [process.execPath, entry, name, String(port), String(upstreamPort)],
        environment: runtimeEnvironment,
      });
    },
  };
}
