/**
 * The ledger's processes take what others leave of their core. No request waits for them, so in production they stand on
 * another machine or behind; with equal rights on one of two cores they would keep Redis waiting instead.
 */
import { readdirSync } from 'node:fs';
import { treeOf } from './process-usage.ts';

const lowest = '19';

/** Every thread of every process of the tree, and what they start later. Without effect where `renice` is missing. */
export function yieldToOthers(rootPid: number): void {
  if (Bun.which('renice') === null) return;
  const threads = treeOf([rootPid]).flatMap((pid) => readdirSync(`/proc/${pid}/task`));
  // A thread that has ended meanwhile is none to speak of.
  Bun.spawnSync(['renice', '-n', lowest, '-p', ...threads]);
}
