/**
 * The resource usage of processes so far, from /proc: CPU time of all threads, and resident memory. Groups are process
 * trees, because nginx works in a child of its master and Postgres in one process per connection.
 */
import { readdirSync, readFileSync } from 'node:fs';

export interface Usage {
  readonly cpuSeconds: number;
  readonly residentBytes: number;
}

/** The roots of each group's process trees. */
export type Watched = Readonly<Record<string, readonly number[]>>;
export type UsageByGroup = Readonly<Record<string, Usage>>;

/** Linux reports CPU time in hundredths of a second (USER_HZ, proc(5)). */
const ticksPerSecond = 100;
const pageBytes = 4096;

export function readUsage(watched: Watched): UsageByGroup {
  const parents = readParents();
  return Object.fromEntries(
    Object.entries(watched).map(([group, roots]) => {
      const usages = treeOf(roots, parents).map(usageOf);
      const cpuSeconds = usages.reduce((sum, usage) => sum + usage.cpuSeconds, 0);
      return [group, { cpuSeconds, residentBytes: usages.reduce((sum, usage) => sum + usage.residentBytes, 0) }];
    }),
  );
}

/** CPU seconds from one reading to the next, group by group. */
export function cpuBetween(before: UsageByGroup, after: UsageByGroup): Record<string, number> {
  return Object.fromEntries(
    Object.entries(after).map(([group, { cpuSeconds }]) => [group, cpuSeconds - (before[group]?.cpuSeconds ?? 0)]),
  );
}

export function treeOf(roots: readonly number[], parents = readParents()): number[] {
  const tree = new Set(roots);
  for (let size = 0; size !== tree.size; ) {
    size = tree.size;
    for (const [pid, parent] of parents) if (tree.has(parent)) tree.add(pid);
  }
  return [...tree];
}

function readParents(): Map<number, number> {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc')) {
    const pid = Number(name);
    if (Number.isInteger(pid)) parents.set(pid, Number(statOf(pid)[1]));
  }
  return parents;
}

function usageOf(pid: number): Usage {
  const stat = statOf(pid);
  const [userTicks, systemTicks, residentPages] = [stat[11], stat[12], stat[21]].map((field) => Number(field ?? 0));
  return {
    cpuSeconds: ((userTicks ?? 0) + (systemTicks ?? 0)) / ticksPerSecond,
    residentBytes: (residentPages ?? 0) * pageBytes,
  };
}

/** The fields after the program's name, which may itself contain spaces; empty if the process has ended. */
function statOf(pid: number): string[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return [];
  }
}
