/** What the archive has not read yet of the charges that are wanted: files, groups of their rows, and rows, those with the latest charges first. */
import { isTimeOf, type Search } from './charge-search.ts';
import { type ChargeFile, type ChargeGroup, firstIndex, type RowRange } from './file/charge-file.ts';

export interface ArchivedFile {
  readonly name: string;
  readonly bytes: number;
  /** No charge of it was made later, in microseconds since 1970. */
  readonly lastMicros: bigint;
}

/** Rows of the account that are read together. */
interface ChargeRange extends RowRange {
  readonly file: ChargeFile;
  readonly lastMicros: bigint;
}

/** A file that was not opened yet, a group in which the account was not looked for yet, or rows that were not read yet. */
type Source = ArchivedFile | ChargeGroup | ChargeRange;

/** That with the latest charge first. */
export class LatestFirst {
  #sources: readonly Source[];

  constructor(sources: readonly Source[]) {
    this.#sources = sources.toSorted(earlierFirst);
  }

  addAll(sources: readonly Source[]): void {
    this.#sources = [...this.#sources, ...sources].sort(earlierFirst);
  }

  take(): Source | undefined {
    const last = this.#sources.at(-1);
    this.#sources = this.#sources.slice(0, -1);
    return last;
  }

  /** Nothing that is left is later. */
  get lastMicros(): bigint {
    return this.#sources.at(-1)?.lastMicros ?? -1n;
  }
}

const earlierFirst = (one: Source, other: Source) => Number(one.lastMicros - other.lastMicros);

/** Of rows that are wanted; others that lie between these are read with them. */
export async function rangesOf(
  group: ChargeGroup,
  { search, rowsInTurn }: { readonly search: Search; readonly rowsInTurn: number },
): Promise<ChargeRange[]> {
  const { file } = group;
  const { accountId, model, keyIds } = search;
  const { rowStart, micros } = await file.timesOfAccount(group, accountId);
  const offset = rowStart - group.rowStart;
  let found = [...micros.keys()].filter((index) => isTimeOf(search, micros[index] ?? 0n));
  if (found.length > 0 && model !== undefined) {
    const models = await file.column<string>(group, 'model');
    found = found.filter((index) => models[offset + index] === model);
  }
  if (found.length > 0 && keyIds !== undefined) {
    const keys = await file.column<bigint>(group, 'key_id');
    found = found.filter((index) => keyIds.has(Number(keys[offset + index])));
  }
  const ranges: ChargeRange[] = [];
  for (let next = 0; next < found.length; ) {
    const start = found[next] ?? 0;
    next = firstIndex(found, (index) => index >= start + rowsInTurn);
    const last = found[next - 1] ?? start;
    ranges.push({ file, rowStart: rowStart + start, rowEnd: rowStart + last + 1, lastMicros: micros[last] ?? 0n });
  }
  return ranges;
}
