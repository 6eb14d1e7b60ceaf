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

/** "Fast shutdown": open transactions are rolled back, everything is written. */
export const postgresStop = { signal: 'SIGINT', graceMs: 30_000 } as const;

/** The process that serves this cluster; undefined until it accepts connections. */
export function readyPostmaster(cluster: string): number | undefined {
  const lines = readNote(cluster);
  return lines[7]?.trim() === 'ready' ? pidOf(lines) : undefined;
}

/** Ends the Postgres that still serves this cluster, if any; resolves to whether there was one. */
export async function endStalePostmaster(cluster: string): Promise<boolean> {
  const pid = pidOf(readNote(cluster));
  const isOurs = pid !== undefined && commandOf(pid)?.includes(cluster) === true;
  if (isOurs) await endProcess(pid, postgresStop);
  // A stale file blocks the next Postgres once any other process has that id.
  rmSync(join(cluster, 'postmaster.pid'), { force: true });
  return isOurs;
}

function readNote(cluster: string): string[] {
  return (readIfPresent(join(cluster, 'postmaster.pid')) ?? '').split('\n');
}

function pidOf(lines: string[]): number | undefined {
  const pid = Number(lines[0]);
  return Number.isSafeInteger(pid) && pid > 1 ? pid : undefined;
}
