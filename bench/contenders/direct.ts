/** The upstream itself, as a separate process on the contender's core: the baseline. */
import { join } from 'node:path';
import { freePort } from '../../local/servers/ports.ts';
import type { Contender } from './contender.ts';
import { startServerProcess } from './server-process.ts';

export const upstreamEntry = join(import.meta.dir, '../upstream/main.ts');

export const direct: Contender = {
  name: 'upstream',
  description: 'the scripted upstream with nothing in between, on the contenders’ core',
  start: async () => {
    const port = await freePort();
    return startServerProcess({ name: 'upstream', port, command: [process.execPath, upstreamEntry, String(port)] });
  },
};
