/**
 * Pins processes to cores: the contender alone on one, everything else on the others. Children inherit the setting, so
 * the bench pins itself first.
 */
import { existsSync } from 'node:fs';
import { cpus } from 'node:os';
import { treeOf } from './process-usage.ts';

export const coreCount = cpus().length;
export const contenderCore = '0';
export const allCores = coresFrom(0);
export const otherCores = coresFrom(1);

/** Undefined if processes can be pinned, otherwise why not. */
export function whyNotPinned(): string | undefined {
  if (coreCount < 2) return 'the machine has one core';
  if (Bun.which('taskset') === null) return 'there is no `taskset` (Debian package util-linux)';
  return undefined;
}

/** Pins every thread of every process of the tree. No effect if processes cannot be pinned. */
export function pin(rootPid: number, cores: string): void {
  if (whyNotPinned() !== undefined) return;
  for (const pid of treeOf([rootPid])) {
    const { exitCode, stderr } = Bun.spawnSync(['taskset', '-acp', cores, String(pid)]);
    // A Postgres worker may have exited since.
    if (exitCode !== 0 && existsSync(`/proc/${pid}`)) throw new Error(`taskset: ${stderr.toString()}`);
  }
}

/** All cores from this one on, at least the last. */
export function coresFrom(first: number): string {
  const last = coreCount - 1;
  return first >= last ? String(last) : `${first}-${last}`;
}
