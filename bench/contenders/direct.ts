/** The upstream itself, as a process of its own, on the contender's core: the zero of every scale. */
import { join } from 'node:path';
import { freePort } from '../../local/servers/ports.ts';
import type { Contender } from './contender.ts';
import { startServerProcess } from './server-process.ts';

export const upstreamEntry = join(import.meta.dir, '../upstream/main.ts');

export const direct: Contender = {
  name: 'upstream',
  description: 'the scripted upstream without anything in between, on the core that contenders run on',
  start: async () => {
    const port = await freePort();
    return startServerProcess({ name: 'upstream', port, command: [process.execPath, upstreamEntry, String(port)] });
  },
};
