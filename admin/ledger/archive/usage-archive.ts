/**
 * The charges of archived months, as they are read: those of an account, newest first, and those of a request. A month is one
 * file, which never changes; which months there are is in `archived_months`.
 *
 * Ask for it after the tables were read, or in the snapshot in which they are read: a month that has left them is in its file.
 */
import { sql } from 'drizzle-orm';
import type { ObjectPlace } from '../../../shared/config/object-place.ts';
import { GatewayError } from '../../../shared/errors.ts';
import type { ObjectStore } from '../../../shared/objects/object-store.ts';
import { openStore } from '../../../shared/objects/open-store.ts';
import type { DbOrTransaction } from '../../database/connect.ts';
import { youngestArchivedDays } from '../../database/tables/usage-totals.ts';
import type { TimeRange } from '../times.ts';
import { findInBlocks } from './archived-blocks.ts';
import {
  type ChargesWanted,
  hasQuarter,
  isTimeOf,
  isWanted,
  mayHave,
  microsOf,
  type Search,
  searchFor,
} from './charge-search.ts';
import { chargedQuarters } from './charged-quarters.ts';
import { eventsColumn, storedRow } from './file/charge-columns.ts';
import { ChargeFile, type ChargeGroup, type FileRow, firstIndex, type RowRange } from './file/charge-file.ts';
import { OpenFiles } from './open-files.ts';
import type { StoredRow } from './stored-row.ts';

export interface ArchivedFile {
  readonly name: string;
  readonly bytes: number;
  /** No charge of it was made later, in microseconds since 1970. */
  readonly lastMicros: bigint;
}

/** Charges, the latest first. */
export interface ChargesInTurn {
  readonly rows: readonly StoredRow[];
  /** All that were made then or later are among these and those before. */
  readonly readFrom: Date;
}

const usualRowsInTurn = 250;
/** The clocks of proxies and of Redis differ by less. */
const clockDifferenceMs = 3_600_000;
const retryAfterSeconds = 15;
/** A receipt holds a connection while it is read, and Postgres ends transactions that are idle for thirty seconds. */
const usualTimeoutMs = 10_000;
const youngestMs = youngestArchivedDays * 86_400_000;

/** Whether charges of this age can be in the archive, so that most readers need not ask. */
export function canBeArchived(chargedAt: Date, nowMs: number = Date.now()): boolean {
  return nowMs - chargedAt.getTime() > youngestMs;
}

/** Whether the charges of a request can be in the archive, by the time in its id, a UUIDv7. */
export function isOfArchivedAge(requestId: string): boolean {
  return canBeArchived(requestedAt(requestId));
}

export class UsageArchive {
  readonly #store: ObjectStore | undefined;
  readonly #rowsInTurn: number;
  readonly #timeoutMs: number;
  readonly #files = new OpenFiles();

  constructor(place: ObjectPlace | undefined, { rowsInTurn = usualRowsInTurn, timeoutMs = usualTimeoutMs } = {}) {
    this.#store = place && openStore(place);
    this.#rowsInTurn = rowsInTurn;
    this.#timeoutMs = timeoutMs;
  }

  /** Throws GatewayError `archive_unavailable` if none is configured; so do the others if it cannot be read. */
  get store(): ObjectStore {
    if (this.#store === undefined) throw archiveUnavailable();
    return this.#store;
  }

  /** Newest first. Of those of some keys or a model, others are not read. */
  async *charges(db: DbOrTransaction, wanted: ChargesWanted): AsyncGenerator<ChargesInTurn> {
    if (wanted.from !== undefined && !canBeArchived(wanted.from)) return;
    const isRare = wanted.keyIds !== undefined || wanted.model !== undefined;
    if (wanted.quarters !== undefined || !isRare) yield* this.#chargesIn(db, wanted, -1n);
    else {
      for await (const { quarters, readFrom } of chargedQuarters(db, wanted))
        yield* this.#chargesIn(db, { ...wanted, quarters }, microsOf(readFrom) - 1n);
    }
  }

  /** All that is wanted was charged after `endMicros`. */
  async *#chargesIn(db: DbOrTransaction, wanted: ChargesWanted, endMicros: bigint): AsyncGenerator<ChargesInTurn> {
    const search = searchFor(wanted);
    const isWorthReading = (group: ChargeGroup) => mayHave(group, search) && hasQuarter(group, search.quarters);
    const left = new LatestFirst(await listFiles(db, search));
    let waiting: FileRow[] = [];
    for (let next = left.take(); next !== undefined; next = left.take()) {
      // Nobody reads the list any more.
      if (wanted.signal?.aborted) return;
      if ('name' in next) left.addAll((await this.#opened(next)).groups.filter(isWorthReading));
      else if ('firstAccount' in next) left.addAll(await this.#reading(this.#rangesOf(next, search)));
      else waiting.push(...(await this.#reading(next.file.rows(next))));
      const readFrom = left.lastMicros > endMicros ? left.lastMicros : endMicros;
      const ready = waiting.filter((row) => chargedMicros(row) > readFrom);
      if (ready.length === 0) continue;
      waiting = waiting.filter((row) => chargedMicros(row) <= readFrom);
      yield inTurn(ready.filter(isWanted(search)), readFrom);
    }
  }

  /** By rank; none if there is no such request. Of whichever account, unless one is named. */
  async eventsOf(
    db: DbOrTransaction,
    { requestId, accountId }: { readonly requestId: string; readonly accountId: number | undefined },
  ): Promise<readonly StoredRow[]> {
    const [month] = await db.execute<FileColumns>(sql`
      SELECT ${fileColumns} FROM archived_months
      WHERE ${isThere} AND from_id <= ${requestId}::uuid AND until_id > ${requestId}::uuid`);
    if (month === undefined) return findInBlocks(db, requestId);
    const { groups } = await this.#opened(fileOf(month));
    const from = new Date(requestedAt(requestId).getTime() - clockDifferenceMs);
    const found: FileRow[] = [];
    for (const group of groups) {
      if (!mayHave(group, { accountId, from, to: undefined })) continue;
      found.push(...(await this.#reading(group.file.rowsOfRequest(group, requestId))));
      const [row] = found;
      if (row !== undefined && found.length >= Number(row[eventsColumn])) break;
    }
    const ofAccount = found.filter((row) => accountId === undefined || Number(row.account_id) === accountId);
    return ofAccount.toSorted((one, other) => Number(one.rank) - Number(other.rank)).map(storedRow);
  }

  #opened(file: ArchivedFile): Promise<ChargeFile> {
    return this.#files.open(file.name, () => this.#reading(ChargeFile.open(this.store, file)));
  }

  /** Of rows that are wanted; others that lie between these are read with them. */
  async #rangesOf(group: ChargeGroup, search: Search): Promise<ChargeRange[]> {
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
      next = firstIndex(found, (index) => index >= start + this.#rowsInTurn);
      const last = found[next - 1] ?? start;
      ranges.push({ file, rowStart: rowStart + start, rowEnd: rowStart + last + 1, lastMicros: micros[last] ?? 0n });
    }
    return ranges;
  }

  /** Throws GatewayError `archive_unavailable` if it fails, or takes too long. */
  async #reading<Value>(reading: Promise<Value>): Promise<Value> {
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(() => late.reject(new Error('the archive takes too long')), this.#timeoutMs);
    try {
      return await Promise.race([reading, late.promise]);
    } catch (cause) {
      throw archiveUnavailable(cause);
    } finally {
      clearTimeout(timer);
    }
  }
}

const requestedAt = (requestId: string) => new Date(Number.parseInt(requestId.replace('-', '').slice(0, 12), 16));

type FileColumns = {
  readonly file: string;
  readonly bytes: string;
  readonly last_charged_at: Date;
};

const fileColumns = sql.raw('file, file_bytes AS bytes, last_charged_at');
const unboundedAt = new Date('9999-12-31T00:00:00Z');
const isThere = sql.raw('file IS NOT NULL AND finished_at IS NOT NULL');

async function listFiles(db: DbOrTransaction, { from, to }: TimeRange): Promise<ArchivedFile[]> {
  const since = from === undefined ? sql`` : sql`AND last_charged_at >= ${from.toISOString()}::timestamptz`;
  // A cursor may name the last instant that there is, and Postgres knows none of five digits.
  const isBounded = to !== undefined && to < unboundedAt;
  const until = isBounded ? sql`AND first_charged_at < ${to.toISOString()}::timestamptz` : sql``;
  const rows = await db.execute<FileColumns>(sql`
    SELECT ${fileColumns} FROM archived_months WHERE ${isThere} ${since} ${until}`);
  return rows.map(fileOf);
}

function fileOf(row: FileColumns): ArchivedFile {
  // A Date drops the microseconds.
  const lastMicros = microsOf(row.last_charged_at) + 999n;
  return { name: row.file, bytes: Number(row.bytes), lastMicros };
}

/** Rows of the account that are read together. */
interface ChargeRange extends RowRange {
  readonly file: ChargeFile;
  readonly lastMicros: bigint;
}

/** A file that was not opened yet, a group in which the account was not looked for yet, or rows that were not read yet. */
type Source = ArchivedFile | ChargeGroup | ChargeRange;

/** That with the latest charge first. */
class LatestFirst {
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

/** Nothing that was made after `readFrom` is left. */
function inTurn(rows: readonly FileRow[], readFrom: bigint): ChargesInTurn {
  const sorted = rows.toSorted((one, other) => Number(chargedMicros(other) - chargedMicros(one)));
  return { rows: sorted.map(storedRow), readFrom: new Date(Number(readFrom / 1_000n) + 1) };
}

const chargedMicros = (row: FileRow) => row.charged_at as bigint;

export function archiveUnavailable(cause?: unknown): GatewayError {
  return new GatewayError(
    'archive_unavailable',
    'The charges of that time are archived, and the archive cannot be read now.',
    { cause, retryAfterSeconds },
  );
}
