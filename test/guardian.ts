/**
 * Briefly outlives a test run. Its standard input is a pipe held by `test/run.ts`: when the pipe closes, the run is over,
 * for whatever reason, every program that it has started and not ended is ended, and its files are removed.
 *
 * Runs in its own session, so that Ctrl-C does not reach it. Argument: the folder of the run, with the records that
 * `startChild` writes and everything temporary.
 */
import { rm } from 'node:fs/promises';
import { endProcess } from '../local/processes/end.ts';
import { identityOf } from '../local/processes/identity.ts';
import { waitUntil } from '../local/processes/poll.ts';
import { type ProcessRecord, recordsIn } from '../local/processes/record.ts';

const roundsMax = 20;
const groupGraceMs = 10_000;
const ignore = () => {};

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('The guardian needs the folder of the records.');
const isLeft = ({ pid, identity }: ProcessRecord) => identityOf(pid) === identity;

await Bun.stdin.text();
const [group] = recordsIn(folder).filter(({ name }) => name === 'bun test');
// A process that is being ended may start one more.
for (let round = 0; round < roundsMax; round += 1) {
  const left = recordsIn(folder).filter(isLeft);
  if (left.length === 0) break;
  await Promise.all(left.map((record) => endProcess(record.pid, record).catch(ignore)));
}
if (group !== undefined) await endGroup(group.pid);
await rm(folder, { recursive: true, force: true });

/** Of the runner, which has ended: its workers, and what they have started without a session of its own. */
async function endGroup(id: number): Promise<void> {
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    const isGone = () => !signalGroup(id, 0);
    if (!signalGroup(id, signal) || (await waitUntil(isGone, { timeoutMs: groupGraceMs }))) return;
  }
}

/** Whether there is such a group. */
function signalGroup(id: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-id, signal);
  } catch {
    return false;
  }
}
