/** Attributes the CPU time of a profile: by thread, by origin of the code, and by the JavaScript function behind it. */
import type { JitDump } from './jit-dump.ts';
import type { Frame, Sample } from './samples.ts';

/** The number of samples per name. */
export type Counts = ReadonlyMap<string, number>;

export interface Ownership {
  readonly samples: number;
  readonly threads: Counts;
  /** Of the innermost frame. */
  readonly places: Counts;
  readonly owners: Counts;
  /** Samples in the function or in anything it called. */
  readonly inclusive: Counts;
}

/** Sockets, timers, other work between two JavaScript calls, and the other threads. */
const noFunction = '(no JavaScript)';

export function shareOut(samples: readonly Sample[], dump: JitDump): Ownership {
  const [threads, places, owners, inclusive] = [newCounts(), newCounts(), newCounts(), newCounts()];
  for (const { thread, frames } of samples) {
    const functions = frames.flatMap((frame) => functionOf(frame, dump));
    add(threads, thread);
    add(places, frames[0]?.place ?? 'unknown');
    // A piece of compiled code without a name, or C++ of Bun, works for the innermost function around it.
    add(owners, functions[0] ?? noFunction);
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
