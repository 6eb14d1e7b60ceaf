/** The profile as text: microseconds for each request or chunk, so that two profiles can be compared line by line. */
import type { LoadResult } from '../load/job.ts';
import { significant } from '../report/format.ts';
import type { Counts, Ownership } from './ownership.ts';

const linesMax = 60;

export function renderProfile({ samples, threads, places, owners, inclusive }: Ownership, result: LoadResult): string {
  const [units, unit] = result.chunks > 0 ? [result.chunks, 'chunk'] : [result.requests, 'request'];
  const microseconds = ((result.cpu.contender ?? 0) * 1e6) / Math.max(1, units);
  const line = (name: string, count: number) =>
    `${((count / samples) * microseconds).toFixed(2).padStart(8)} µs  ${((count / samples) * 100).toFixed(1).padStart(5)} %  ${name}`;
  const list = (counts: Counts, most = linesMax) =>
    [...counts]
      .sort(([, a], [, b]) => b - a)
      .slice(0, most)
      .map(([name, count]) => line(name, count));
  return [
    `${significant(microseconds)} µs of CPU a ${unit}, ${significant(units / result.seconds)} ${unit}s a second, ${samples} samples`,
    ...['', 'By thread', ...list(threads)],
    ...['', 'By origin of the code', ...list(places)],
    ...['', 'By the JavaScript function that caused it', ...list(owners)],
    ...['', 'In the function and everything it called', ...list(inclusive)],
    '',
  ].join('\n');
}
