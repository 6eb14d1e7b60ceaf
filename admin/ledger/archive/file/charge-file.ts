/** A file of charges, open for reading: its directory is known, and its groups of rows are read one at a time. */
import { zstdDecompressSync } from 'bun';
import {
  type AsyncBuffer,
  type ColumnData,
  type FileMetaData,
  parquetMetadataAsync,
  parquetRead,
  parquetReadObjects,
  type RowGroup,
} from 'hyparquet';
import type { ObjectStore } from '../../../../shared/objects/object-store.ts';
import { chargeParsers } from './charge-columns.ts';

export interface RowRange {
  readonly rowStart: number;
  /** Exclusive. */
  readonly rowEnd: number;
}

export interface TimedRange extends RowRange {
  /** Of each row, in microseconds since 1970. */
  readonly micros: readonly bigint[];
}

/** Rows of one or several accounts, by account and time. */
export interface ChargeGroup extends RowRange {
  readonly file: ChargeFile;
  readonly firstAccount: number;
  readonly lastAccount: number;
  /** When the first and the last of its charges were made, in microseconds since 1970. */
  readonly firstMicros: bigint;
  readonly lastMicros: bigint;
}

/** As Parquet has it: large numbers and times are of type bigint. */
export type FileRow = Readonly<Record<string, unknown>>;

const compressors = { ZSTD: (page: Uint8Array) => zstdDecompressSync(page) };

export class ChargeFile {
  readonly name: string;
  readonly groups: readonly ChargeGroup[];
  readonly #source;

  private constructor(name: string, buffer: AsyncBuffer, metadata: FileMetaData) {
    this.name = name;
    this.#source = { file: buffer, metadata, compressors, parsers: chargeParsers };
    let rowStart = 0;
    this.groups = metadata.row_groups.map((group) => {
      const rowEnd = rowStart + Number(group.num_rows);
      const [firstAccount, lastAccount] = boundsOf(group, 'account_id');
      const [firstMicros, lastMicros] = boundsOf(group, 'charged_at');
      const accounts = { firstAccount: Number(firstAccount), lastAccount: Number(lastAccount) };
      const bounds = { ...accounts, firstMicros, lastMicros, rowStart, rowEnd };
      rowStart = rowEnd;
      return { file: this, ...bounds };
    });
  }

  static async open(store: ObjectStore, { name, bytes }: { name: string; bytes: number }): Promise<ChargeFile> {
    const buffer: AsyncBuffer = {
      byteLength: bytes,
      slice: async (start, end = bytes) => (await store.readRange(name, { start, end })).buffer,
    };
    return new ChargeFile(name, buffer, await parquetMetadataAsync(buffer, { parsers: chargeParsers }));
  }

  /** In their order. Only the columns that are named, if any are. */
  rows({ rowStart, rowEnd }: RowRange, columns?: readonly string[]): Promise<FileRow[]> {
    return this.#read({
      rowStart,
      rowEnd,
      useOffsetIndex: true,
      ...(columns !== undefined && { columns: [...columns] }),
    });
  }

  /** Where the charges of an account are in the group, and when each was made: a range, because rows are sorted. */
  async timesOfAccount(group: ChargeGroup, accountId: number): Promise<TimedRange> {
    const accounts = await this.column<bigint>(group, 'account_id');
    const times = await this.column<bigint>(group, 'charged_at');
    const first = firstIndex(accounts, (id) => id >= BigInt(accountId));
    const end = firstIndex(accounts, (id) => id > BigInt(accountId));
    return { rowStart: group.rowStart + first, rowEnd: group.rowStart + end, micros: times.slice(first, end) };
  }

  /** Where a group does not have it, only the column of ids is read. */
  async rowsOfRequest(group: ChargeGroup, requestId: string): Promise<FileRow[]> {
    const ids = await this.column<string>(group, 'request_id');
    const rows: FileRow[] = [];
    for (let at = ids.indexOf(requestId); at >= 0; at = ids.indexOf(requestId, at + 1)) {
      const rowStart = group.rowStart + at;
      rows.push(...(await this.rows({ rowStart, rowEnd: rowStart + 1 })));
    }
    return rows;
  }

  /** Of each row of the group. */
  async column<Value>({ rowStart, rowEnd }: RowRange, column: string): Promise<Value[]> {
    const values: Value[] = [];
    // A group is read as one piece, or page by page.
    const onChunk = ({ columnData }: ColumnData) => values.push(...(columnData as Iterable<Value>));
    await parquetRead({ ...this.#source, rowStart, rowEnd, columns: [column], onChunk });
    return values;
  }

  #read(options: Omit<Parameters<typeof parquetReadObjects>[0], 'file'>): Promise<FileRow[]> {
    return parquetReadObjects({ ...this.#source, ...options });
  }
}

/** Of values in ascending order: the index of the first that is so, or how many there are. */
export function firstIndex<Value>(values: readonly Value[], isSo: (value: Value) => boolean): number {
  let [low, high] = [0, values.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isSo(values[middle] as Value)) high = middle;
    else low = middle + 1;
  }
  return low;
}

function boundsOf(group: RowGroup, column: string): [first: bigint, last: bigint] {
  const chunk = group.columns.find(({ meta_data }) => meta_data?.path_in_schema[0] === column);
  const { min_value: first, max_value: last } = chunk?.meta_data?.statistics ?? {};
  if (typeof first !== 'bigint' || typeof last !== 'bigint') throw new Error(`no bounds of ${column}`);
  return [first, last];
}
