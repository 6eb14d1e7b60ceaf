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
import type { LinePosition } from '../../http/request/page-cursor.ts';
import { isBound, type TimeRange } from '../times.ts';
import { findInBlocks } from './archived-blocks.ts';
import { type ChargesWanted, hasQuarter, isWanted, mayHave, microsOf, searchFor } from './charge-search.ts';
import { type ArchivedFile, LatestFirst, rangesOf } from './charge-sources.ts';
import { eventsColumn, storedRow } from './file/charge-columns.ts';
import { ChargeFile, type ChargeGroup, type FileRow } from './file/charge-file.ts';
import { OpenFiles } from './open-files.ts';
import type { StoredRow } from './stored-row.ts';

/** Charges, the latest first. */
export interface ChargesInTurn {
  readonly rows: readonly StoredRow[];
  /** All that were made then or later are among these and those before. */
  readonly readFrom: Date;
}

/** Lines of charges, of which only the positions are read; the latest first. */
export interface LinesInTurn extends Pick<ChargesInTurn, 'readFrom'> {
  readonly lines: readonly LinePosition[];
}

type LinesWanted = TimeRange & Pick<ChargesWanted, 'accountId' | 'signal'>;

/** How charges are read. */
interface Reading {
  readonly rowsInTurn: number;
  /** All columns if undefined. */
  readonly columns?: readonly string[];
}

const usualRowsInTurn = 250;
/** A position takes a twentieth of the memory of a row. */
const linesInPlaceOfRow = 20;
/** Of the position of a line, and by which charges are sorted. */
const positionColumns = ['line_id', 'charged_at'];
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

  /** Newest first. */
  async *charges(db: DbOrTransaction, wanted: ChargesWanted): AsyncGenerator<ChargesInTurn> {
    if (wanted.from !== undefined && !canBeArchived(wanted.from)) return;
    yield* this.#chargesIn(db, wanted, { rowsInTurn: this.#rowsInTurn });
  }

  /** Where the lines of charges are in the list of the account's lines. Those that are in the tables are left out. */
  async *lines(db: DbOrTransaction, wanted: LinesWanted): AsyncGenerator<LinesInTurn> {
    const any = { model: undefined, keyIds: undefined };
    const reading = { rowsInTurn: linesInPlaceOfRow * this.#rowsInTurn, columns: positionColumns };
    for await (const { rows, readFrom } of this.#chargesIn(db, { ...any, ...wanted }, reading)) {
      const lines = rows.flatMap(({ line_id: id, charged_at: exactTime }) =>
        id === null ? [] : [{ id: Number(id), exactTime: String(exactTime) }],
      );
      yield { lines, readFrom };
    }
  }

  /** After all charges of that time that are archived; undefined if there are none. */
  async endOf(db: DbOrTransaction, range: TimeRange): Promise<Date | undefined> {
    const lasts = (await listFiles(db, range)).map(({ lastMicros }) => Number(lastMicros / 1_000n));
    return lasts.length === 0 ? undefined : new Date(Math.max(...lasts) + 1);
  }

  async *#chargesIn(
    db: DbOrTransaction,
    wanted: ChargesWanted,
    { rowsInTurn, columns }: Reading,
  ): AsyncGenerator<ChargesInTurn> {
    const search = searchFor(wanted);
    const isWorthReading = (group: ChargeGroup) => mayHave(group, search) && hasQuarter(group, search.quarters);
    const left = new LatestFirst(await listFiles(db, search));
    let waiting: FileRow[] = [];
    for (let next = left.take(); next !== undefined; next = left.take()) {
      // Nobody reads the list any more.
      if (wanted.signal?.aborted) return;
      if ('name' in next) left.addAll((await this.#opened(next)).groups.filter(isWorthReading));
      else if ('firstAccount' in next) left.addAll(await this.#reading(rangesOf(next, { search, rowsInTurn })));
      else waiting.push(...(await this.#reading(next.file.rows(next, columns))));
      const readFrom = left.lastMicros;
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
const isThere = sql.raw('file IS NOT NULL AND finished_at IS NOT NULL');

async function listFiles(db: DbOrTransaction, { from, to }: TimeRange): Promise<ArchivedFile[]> {
  const since = from === undefined ? sql`` : sql`AND last_charged_at >= ${from.toISOString()}::timestamptz`;
  const until = isBound(to) ? sql`AND first_charged_at < ${to.toISOString()}::timestamptz` : sql``;
  const rows = await db.execute<FileColumns>(sql`
    SELECT ${fileColumns} FROM archived_months WHERE ${isThere} ${since} ${until}`);
  return rows.map(fileOf);
}

function fileOf(row: FileColumns): ArchivedFile {
  // A Date drops the microseconds.
  const lastMicros = microsOf(row.last_charged_at) + 999n;
  return { name: row.file, bytes: Number(row.bytes), lastMicros };
}

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
