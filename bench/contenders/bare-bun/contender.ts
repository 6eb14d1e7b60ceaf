/** Bun without a gateway: any difference is the gateway's own cost. */

import { join } from 'node:path';
import runtimeEnvironment from '../../../local/npm/runtime-environment.json' with { type: 'json' };
import { freePort } from '../../../local/servers/ports.ts';
import type { Contender } from '../contender.ts';
import { startServerProcess } from '../server-process.ts';

export const bareBun: Contender = {
  name: 'bare Bun',
  description: `Bun ${Bun.version}, \`Bun.serve\` + \`fetch\` and nothing else, with the settings of the runtime that the gateway has ([source](contenders/bare-bun/main.ts))`,
  start: async (upstreamPort) => {
    const port = await freePort();
    return startServerProcess({
      name: 'bare-bun',
      port,
      command: [process.execPath, join(import.meta.dir, 'main.ts'), String(port), String(upstreamPort)],
      environment: runtimeEnvironment,
    });
  },
};
