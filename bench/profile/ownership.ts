/** Shares out the CPU time of a profile: by thread, by whose code ran, and by the JavaScript function that it ran for. */
import type { JitDump } from './jit-dump.ts';
import type { Frame, Sample } from './samples.ts';

/** How many samples fell on each name. */
export type Counts = ReadonlyMap<string, number>;

export interface Ownership {
  readonly samples: number;
  readonly threads: Counts;
  /** Of the innermost frame. */
  readonly places: Counts;
  readonly owners: Counts;
  /** Samples in the function or in whatever it called. */
  readonly inclusive: Counts;
}

/** Sockets, timers and what is done between two calls of JavaScript, and the other threads. */
const nobody = '(no JavaScript)';

export function shareOut(samples: readonly Sample[], dump: JitDump): Ownership {
  const [threads, places, owners, inclusive] = [newCounts(), newCounts(), newCounts(), newCounts()];
  for (const { thread, frames } of samples) {
    const functions = frames.flatMap((frame) => functionOf(frame, dump));
    add(threads, thread);
    add(places, frames[0]?.place ?? 'unknown');
    // A piece of compiled code without a name, or C++ of Bun, works for the innermost function around it.
    add(owners, functions[0] ?? nobody);
    for (const name of new Set(functions)) add(inclusive, name);
  }
  return { samples: samples.length, threads, places, owners, inclusive };
}

function functionOf({ place, address }: Frame, dump: JitDump): string[] {
  const name = place === 'JavaScript' ? dump.functionAt(address) : undefined;
  return name === undefined ? [] : [name];
}

function newCounts(): Map<string, number> {
  return new Map();
}

function add(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}
