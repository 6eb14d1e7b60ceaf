/** Preloaded into a contender: on SIGUSR2 it writes how many objects of each type it has, and its memory. */
import { heapStats } from 'bun:jsc';
import { writeFileSync } from 'node:fs';
import process from 'node:process';

export interface ObjectCounts {
  readonly byType: Readonly<Record<string, number>>;
  readonly residentBytes: number;
}

/** Where it writes to. */
export const countsFileVariable = 'BENCH_COUNTS_FILE';

const file = Bun.env[countsFileVariable];
if (file !== undefined) {
  process.on('SIGUSR2', () => {
    const counts: ObjectCounts = {
      byType: heapStats().objectTypeCounts,
      residentBytes: process.memoryUsage.rss(),
    };
    writeFileSync(file, JSON.stringify(counts));
  });
}
