/**
 * A supervisor with two small parts, for tests that kill it or them: prints its own pid and those of the parts, then
 * lives until one of them ends.
 */
import { join } from 'node:path';
import { startChild } from '../../../local/processes/child.ts';
import { Supervisor } from '../../../local/processes/supervise.ts';

const [directory = ''] = process.argv.slice(2);
const supervisor = new Supervisor(join(directory, 'processes.json'));
const stop = { signal: 'SIGTERM', graceMs: 5_000 } as const;
const pids = (['servers', 'programs'] as const).map((layer) => {
  const child = startChild({
    name: layer,
    command: ['/bin/sh', '-c', `echo ${layer} runs; exec sleep 60`],
    directory,
    environment: { PATH: '/usr/bin:/bin' },
    logFile: join(directory, `${layer}.log`),
  });
  supervisor.add({ child, layer, stop });
  return child.pid;
});
process.on('SIGINT', () => supervisor.requestStop('SIGINT'));
console.log(JSON.stringify(pids));

const ending = await supervisor.ending;
await supervisor.stop();
console.log(JSON.stringify(ending));
