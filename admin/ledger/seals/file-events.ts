/**
 * The events of a month that are in a file. They were sealed in the order of their requests, and are by account and time there:
 * so the hashes of the rows of some blocks at a time are put into the order of the seal.
 */
import type { ChargeFile, FileRow } from '../archive/file/charge-file.ts';
import { textOfRow } from './row-text.ts';
import type { SealedBlock } from './seal.ts';
import { EventSums, type HashedRows, type KeyRange, type MonthSums, type SealedRows } from './sealed-rows.ts';

interface Source {
  readonly file: ChargeFile;
  /** Of the events, in their order. */
  readonly blocks: readonly Pick<SealedBlock, 'lastKey' | 'rows'>[];
  /** Of an event, as they were sealed. */
  readonly columns: readonly string[];
  /** Of the month. */
  readonly end: Date;
}

/** Whose hashes are in memory: about a hundred bytes each. For more, the file is read several times. */
const rowsAtOnce = 1_000_000;
const summedColumns = ['account_id', 'journal_id', 'booked_nano', 'charged_at'];

export class FileEvents implements SealedRows {
  readonly part = 'events';
  readonly #source: Source;
  /** Of the blocks that were read last, by their last keys. */
  #hashed = new Map<string, HashedRows>();
  #lastKey: string | undefined;

  constructor(source: Source) {
    this.#source = source;
  }

  /** Blocks are those of the seal; asks only for what may follow them. */
  async endOfBlock(after: string | undefined): Promise<string | undefined> {
    if (this.#lastKey === undefined) await this.#read(after);
    return this.#lastKey === undefined || (after !== undefined && this.#lastKey <= after) ? undefined : this.#lastKey;
  }

  async hash({ after, until }: KeyRange): Promise<HashedRows> {
    if (!this.#hashed.has(until)) await this.#read(after);
    const hashed = this.#hashed.get(until);
    if (hashed === undefined) throw new Error(`no block of the seal ends with ${until}`);
    return hashed;
  }

  async sums(): Promise<ReadonlyMap<number, MonthSums>> {
    const { file, end } = this.#source;
    const sums = new EventSums(end);
    for (const group of file.groups) {
      for (const row of await file.rows(group, summedColumns)) {
        if (row.journal_id === null) continue;
        const [nano, micros] = [row.booked_nano as bigint, row.charged_at as bigint];
        sums.add({ accountId: Number(row.account_id), nano, chargedMs: Number(micros / 1_000n) });
      }
    }
    return sums.byAccount;
  }

  /** The blocks after a key, as many as fit into memory. */
  async #read(after = ''): Promise<void> {
    const { file, blocks, columns } = this.#source;
    const left = blocks.filter(({ lastKey }) => lastKey > after);
    let rows = 0;
    const read = left.filter((block, index) => {
      rows += block.rows;
      return index === 0 || rows <= rowsAtOnce;
    });
    const ends = read.map(({ lastKey }) => lastKey);
    const found = ends.map((): string[] => []);
    for (const group of file.groups) {
      for (const row of await file.rows(group)) {
        const key = String(row.request_id);
        if (this.#lastKey === undefined || key > this.#lastKey) this.#lastKey = key;
        if (key > after) found[blockOf(key, ends)]?.push(hashRow(row, columns));
      }
    }
    this.#hashed = new Map(ends.map((lastKey, index) => [lastKey, hashRows(found[index] ?? [])]));
  }
}

/** The first block that does not end before the key. */
function blockOf(key: string, ends: readonly string[]): number {
  let [low, high] = [0, ends.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ends[middle] ?? '') < key) low = middle + 1;
    else high = middle;
  }
  return low;
}

const hashBytes = 32;

/** What orders it in its block, and then its hash. */
function hashRow(row: FileRow, columns: readonly string[]): string {
  const hash = new Bun.CryptoHasher('sha256').update(textOfRow('events', columns, row)).digest('latin1');
  return `${row.request_id} ${row.rank} ${hash}`;
}

function hashRows(rows: string[]): HashedRows {
  const hash = new Bun.CryptoHasher('sha256');
  for (const row of rows.sort()) hash.update(Buffer.from(row.slice(-hashBytes), 'latin1'));
  return { rows: rows.length, hash: hash.digest('hex') };
}
