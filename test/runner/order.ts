/**
 * The order in which a run's files start: the slowest first, as the run is over when its last file is. A file that takes long
 * mostly waits, except for the dashboard's, which compute in a browser: so those that wait are spread over the run, beside those
 * that compute.
 */
import { join } from 'node:path';

const waitsFromMs = 10_000;
/** The last file that waits begins before the end of the run. */
const lastWaitAt = 0.95;

/** As `bun test --update-timings` writes it: milliseconds of each file. */
interface Timings {
  readonly version: 1;
  readonly files: Readonly<Record<string, number>>;
}

/** Writes the timings that have `bun test` start the files in this order, and returns their path. */
export async function writeOrder(timingsPath: string, folder: string): Promise<string> {
  const { version, files }: Timings = await Bun.file(timingsPath).json();
  const names = orderOf(files);
  const path = join(folder, 'order.json');
  const ranks = Object.fromEntries(names.map((name, index) => [name, names.length - index]));
  await Bun.write(path, JSON.stringify({ version, files: ranks } satisfies Timings));
  return path;
}

/** Both kinds, each with its slowest first. */
export function orderOf(files: Timings['files']): string[] {
  const msOf = (name: string) => files[name] ?? 0;
  const slowestFirst = Object.keys(files).sort((one, other) => msOf(other) - msOf(one));
  const waits = (name: string) => msOf(name) > waitsFromMs && !name.startsWith('test/dashboard/');
  return [
    ...placed(slowestFirst.filter(waits), msOf, lastWaitAt),
    ...placed(
      slowestFirst.filter((name) => !waits(name)),
      msOf,
      1,
    ),
  ]
    .sort((one, other) => one.at - other.at)
    .map(({ name }) => name);
}

/** Where each begins if they follow one another from 0 to `end`. */
function placed(names: readonly string[], msOf: (name: string) => number, end: number): { name: string; at: number }[] {
  const totalMs = names.reduce((sum, name) => sum + msOf(name), 0);
  let beforeMs = 0;
  return names.map((name) => {
    const at = (beforeMs / totalMs) * end;
    beforeMs += msOf(name);
    return { name, at };
  });
}
