/**
 * Reads `postmaster.pid`, the file that a running Postgres keeps in its data folder, and ends the Postgres that a
 * killed parent left behind.
 *
 * Invariant: a process is ended only if its command line names this data folder.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { readIfPresent } from '../data/private-file.ts';
import { endProcess } from '../processes/end.ts';
import { commandOf } from '../processes/identity.ts';
import { waitUntil } from '../processes/poll.ts';

/** "Fast shutdown": open transactions are rolled back, everything is written. */
export const postgresStop = { signal: 'SIGINT', graceMs: 30_000 } as const;

/** The process that serves this cluster; undefined until it accepts connections. */
export function readyPostmaster(cluster: string): number | undefined {
  const lines = readNote(cluster);
  return lines[7]?.trim() === 'ready' ? pidOf(lines) : undefined;
}

/** Linux shows there how many processes have attached each segment of shared memory. */
const segmentsFile = '/proc/sysvipc/shm';
/** So long the children of a killed Postgres may take to notice and end. */
const childrenMs = 10_000;

/**
 * Ends the Postgres that still serves this cluster, if any, and waits for the children of one that was killed: until they
 * have ended, no other can start. Resolves to whether there was one.
 */
export async function endStalePostmaster(cluster: string): Promise<boolean> {
  const note = readNote(cluster);
  const pid = pidOf(note);
  const isOurs = pid !== undefined && commandOf(pid)?.includes(cluster) === true;
  if (isOurs) await endProcess(pid, postgresStop);
  const [, segment = ''] = (note[6] ?? '').trim().split(/\s+/);
  await waitUntil(() => !isAttached(segment), { timeoutMs: childrenMs, everyMs: 10 });
  // A stale file blocks the next Postgres once any other process has that id.
  rmSync(join(cluster, 'postmaster.pid'), { force: true });
  return isOurs;
}

/** False where it cannot be known: then Postgres itself refuses to start. */
function isAttached(segment: string): boolean {
  const rows = (readIfPresent(segmentsFile) ?? '').split('\n').map((row) => row.trim().split(/\s+/));
  const [columns = []] = rows;
  const [id, attached] = [columns.indexOf('shmid'), columns.indexOf('nattch')];
  return rows.some((row) => segment !== '' && row[id] === segment && row[attached] !== '0');
}

function readNote(cluster: string): string[] {
  return (readIfPresent(join(cluster, 'postmaster.pid')) ?? '').split('\n');
}

function pidOf(lines: string[]): number | undefined {
  const pid = Number(lines[0]);
  return Number.isSafeInteger(pid) && pid > 1 ? pid : undefined;
}
