/** A file of charges, open for reading: its directory is known, and its groups of rows are read one at a time. */
import { zstdDecompressSync } from 'bun';
import {
  type AsyncBuffer,
  type FileMetaData,
  type ParquetQueryFilter,
  parquetMetadataAsync,
  parquetReadObjects,
  type RowGroup,
} from 'hyparquet';
import type { ObjectStore } from '../../../../shared/objects/object-store.ts';
import { chargeParsers } from './charge-columns.ts';

/** Rows of one or several accounts, by account and time. */
export interface ChargeGroup {
  readonly file: ChargeFile;
  readonly rowStart: number;
  /** Exclusive. */
  readonly rowEnd: number;
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
  readonly #buffer: AsyncBuffer;
  readonly #metadata: FileMetaData;

  private constructor(name: string, buffer: AsyncBuffer, metadata: FileMetaData) {
    this.name = name;
    this.#buffer = buffer;
    this.#metadata = metadata;
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
  async rows({ rowStart, rowEnd }: ChargeGroup, columns?: readonly string[]): Promise<FileRow[]> {
    return this.#read({ rowStart, rowEnd, ...(columns !== undefined && { columns: [...columns] }) });
  }

  /** In their order. */
  rowsOfAccount({ rowStart, rowEnd }: ChargeGroup, accountId: number): Promise<FileRow[]> {
    return this.#read({ rowStart, rowEnd, filter: { account_id: { $eq: BigInt(accountId) } }, usePageIndex: true });
  }

  /** Where a group does not have it, only what says so is read. */
  rowsOfRequest({ rowStart, rowEnd }: ChargeGroup, requestId: string): Promise<FileRow[]> {
    return this.#read({ rowStart, rowEnd, filter: { request_id: { $eq: requestId } }, useBloomFilters: true });
  }

  #read(options: {
    readonly rowStart: number;
    readonly rowEnd: number;
    readonly columns?: string[];
    readonly filter?: ParquetQueryFilter;
    readonly usePageIndex?: boolean;
    readonly useBloomFilters?: boolean;
  }): Promise<FileRow[]> {
    const source = { file: this.#buffer, metadata: this.#metadata, compressors, parsers: chargeParsers };
    return parquetReadObjects({ ...source, ...options });
  }
}

function boundsOf(group: RowGroup, column: string): [first: bigint, last: bigint] {
  const chunk = group.columns.find(({ meta_data }) => meta_data?.path_in_schema[0] === column);
  const { min_value: first, max_value: last } = chunk?.meta_data?.statistics ?? {};
  if (typeof first !== 'bigint' || typeof last !== 'bigint') throw new Error(`no bounds of ${column}`);
  return [first, last];
}
