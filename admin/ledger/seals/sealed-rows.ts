/**
 * The rows of a month that its seal covers: those of its partitions, by key. Events that were archived are in blocks, or in a file
 * (file-events.ts); the lines that charges in blocks have left in the ledger belong to those events, not to the lines.
 */
import type { Sql } from 'postgres';
import type { SealedPart } from '../../database/tables/seals.ts';
import { eventsOfBlocks, leastUuid } from '../archive/archived-blocks.ts';
import type { LedgerMonth } from '../months.ts';
import { rowTextExpression, textOfRow } from './row-text.ts';

/** Up to the key `until`, after the key `after`; from the first one where that is undefined. */
export interface KeyRange {
  readonly after: string | undefined;
  readonly until: string;
}

export interface HashedRows {
  readonly rows: number;
  /** SHA-256 of the hashes of all rows, in hexadecimal. */
  readonly hash: string;
}

/** What lines of an account sum to. */
export interface AccountSums {
  readonly balanceNano: bigint;
  readonly creditedNano: bigint;
}

export interface MonthSums extends AccountSums {
  /** Of the lines that were made after the end of the month. */
  readonly afterEndNano: bigint;
}

export interface SealedRows {
  readonly part: SealedPart;
  /** The last key of the next block; undefined if there is nothing after `after`. Rows of one key are in one block. */
  endOfBlock(after: string | undefined): Promise<string | undefined>;
  hash(range: KeyRange): Promise<HashedRows>;
  /** By account. */
  sums(): Promise<ReadonlyMap<number, MonthSums>>;
}

interface Source {
  readonly sql: Sql;
  readonly month: LedgerMonth;
  readonly columns: Readonly<Record<SealedPart, readonly string[]>>;
  readonly rowsInBlock?: number | undefined;
}

const usualRowsInBlock = 50_000;

export async function sealedRowsOf(source: Source): Promise<readonly SealedRows[]> {
  const { sql, month } = source;
  const [found] = await sql<{ lines: boolean; events: boolean; blocks: boolean }[]>`
    SELECT to_regclass(${month.lines}) IS NOT NULL AS lines, to_regclass(${month.events}) IS NOT NULL AS events,
      EXISTS (SELECT FROM archived_usage WHERE month = ${month.month}) AND NOT EXISTS (
        SELECT FROM archived_months WHERE month = ${month.month} AND file IS NOT NULL
      ) AS blocks`;
  return [
    ...(found?.lines ? [new LineRows(source)] : []),
    ...(found?.events ? [new EventRows(source)] : []),
    ...(found?.blocks && !found.events ? [new BlockEvents(source)] : []),
  ];
}

/** Sums of compact charges. */
export class EventSums {
  readonly byAccount = new Map<number, MonthSums>();
  readonly #endMs: number;

  constructor(end: Date) {
    this.#endMs = end.getTime();
  }

  add({ accountId, nano, chargedMs }: { accountId: number; nano: bigint; chargedMs: number }): void {
    const { balanceNano = 0n, afterEndNano = 0n } = this.byAccount.get(accountId) ?? {};
    const isAfterEnd = chargedMs >= this.#endMs;
    this.byAccount.set(accountId, {
      balanceNano: balanceNano - nano,
      creditedNano: 0n,
      afterEndNano: afterEndNano - (isAfterEnd ? nano : 0n),
    });
  }
}

/** Rows of a partition. */
abstract class TableRows implements SealedRows {
  abstract readonly part: SealedPart;
  protected readonly sql: Sql;
  readonly #text: string;
  readonly #rows: string;
  readonly #key: string;
  readonly #type: string;
  readonly #order: string;
  readonly #rowsInBlock: number;

  constructor(
    { sql, columns, rowsInBlock = usualRowsInBlock }: Source,
    table: { part: SealedPart; rows: string; key: string; type: string; order: string },
  ) {
    this.sql = sql;
    this.#text = rowTextExpression(table.part, columns[table.part]);
    this.#rows = table.rows;
    this.#key = table.key;
    this.#type = table.type;
    this.#order = table.order;
    this.#rowsInBlock = rowsInBlock;
  }

  async endOfBlock(after: string | undefined): Promise<string | undefined> {
    const rows = this.sql.unsafe(`SELECT ${this.#key}::text AS key FROM ${this.#rows} AS part`);
    const [end] = await this.sql<{ key: string }[]>`
      SELECT key FROM (${rows} ${this.#where(after)} ORDER BY ${this.sql.unsafe(this.#order)} LIMIT ${this.#rowsInBlock}) AS block
      OFFSET ${this.#rowsInBlock - 1}`;
    if (end !== undefined) return end.key;
    const [last] = await this.sql<{ key: string }[]>`
      ${rows} ${this.#where(after)} ORDER BY ${this.sql.unsafe(`${this.#key} DESC`)} LIMIT 1`;
    return last?.key;
  }

  async hash({ after, until }: KeyRange): Promise<HashedRows> {
    const key = this.sql.unsafe(this.#key);
    // Hashes are sorted, which are shorter than their rows.
    const [found] = await this.sql<{ rows: string; hash: string }[]>`
      SELECT count(*) AS rows, encode(sha256(coalesce(string_agg(hash, ''::bytea
        ORDER BY ${this.sql.unsafe(this.#order)}), ''::bytea)), 'hex') AS hash
      FROM (
        SELECT ${this.sql.unsafe(this.#order)}, sha256(convert_to(${this.sql.unsafe(this.#text)}, 'UTF8')) AS hash
        FROM ${this.sql.unsafe(this.#rows)} AS part ${this.#where(after)}
          AND ${key} <= ${until}::text::${this.sql.unsafe(this.#type)} OFFSET 0
      ) AS hashed`;
    return { rows: Number(found?.rows), hash: found?.hash ?? '' };
  }

  abstract sums(): Promise<ReadonlyMap<number, MonthSums>>;

  #where(after: string | undefined) {
    const [key, type] = [this.sql.unsafe(this.#key), this.sql.unsafe(this.#type)];
    return after === undefined ? this.sql`WHERE true` : this.sql`WHERE ${key} > ${after}::text::${type}`;
  }
}

interface SumsRow {
  readonly account_id: string;
  readonly balance: string;
  readonly credited: string;
  readonly after_end: string;
}

class LineRows extends TableRows {
  readonly part = 'lines';
  readonly #table: string;

  constructor(source: Source) {
    const { lines } = source.month;
    const rows = `(SELECT * FROM "${lines}" WHERE NOT is_archived_charge)`;
    super(source, { part: 'lines', rows, key: 'journal_id', type: 'bigint', order: 'journal_id, id' });
    this.#table = lines;
  }

  async sums(): Promise<ReadonlyMap<number, MonthSums>> {
    const rows = await this.sql<SumsRow[]>`
      SELECT account_id, sum(amount_nano) AS balance, coalesce(sum(amount_nano) FILTER (WHERE type <> 'usage'), 0) AS credited,
        0 AS after_end
      FROM ${this.sql(this.#table)} WHERE book = 'wallet' AND NOT is_archived_charge GROUP BY account_id`;
    return new Map(rows.map(readSums));
  }
}

class EventRows extends TableRows {
  readonly part = 'events';
  readonly #table: string;
  readonly #end: Date;

  constructor(source: Source) {
    const { events } = source.month;
    super(source, {
      part: 'events',
      rows: `"${events}"`,
      key: 'request_id',
      type: 'uuid',
      order: 'request_id, rank',
    });
    this.#table = events;
    this.#end = source.month.end;
  }

  async sums(): Promise<ReadonlyMap<number, MonthSums>> {
    const rows = await this.sql<SumsRow[]>`
      SELECT account_id, -sum(booked_nano) AS balance, 0 AS credited,
        coalesce(-sum(booked_nano) FILTER (WHERE charged_at >= ${this.#end}), 0) AS after_end
      FROM ${this.sql(this.#table)} WHERE journal_id IS NOT NULL GROUP BY account_id`;
    return new Map(rows.map(readSums));
  }
}

function readSums({ account_id, balance, credited, after_end }: SumsRow): [accountId: number, sums: MonthSums] {
  const sums = { balanceNano: BigInt(balance), creditedNano: BigInt(credited), afterEndNano: BigInt(after_end) };
  return [Number(account_id), sums];
}

/** Events of a month that was archived in blocks. */
class BlockEvents implements SealedRows {
  readonly part = 'events';
  readonly #source: Source;

  constructor(source: Source) {
    this.#source = source;
  }

  async endOfBlock(after: string | undefined): Promise<string | undefined> {
    const { sql, month, rowsInBlock = usualRowsInBlock } = this.#source;
    const [end] = await sql<{ last_id: string }[]>`
      SELECT last_id FROM (
        SELECT last_id, sum(events) OVER (ORDER BY first_id) AS events FROM archived_usage
        WHERE month = ${month.month} AND last_id > ${after ?? leastUuid}::uuid
      ) AS blocks WHERE events >= ${rowsInBlock} ORDER BY last_id LIMIT 1`;
    if (end !== undefined) return end.last_id;
    const [last] = await sql<{ last_id: string }[]>`
      SELECT last_id FROM archived_usage WHERE month = ${month.month} AND last_id > ${after ?? leastUuid}::uuid
      ORDER BY first_id DESC LIMIT 1`;
    return last?.last_id;
  }

  async hash({ after = leastUuid, until }: KeyRange): Promise<HashedRows> {
    const hash = new Bun.CryptoHasher('sha256');
    let rows = 0;
    for await (const event of eventsOfBlocks(this.#source.sql, this.#source.month, { after, until })) {
      const text = textOfRow('events', this.#source.columns.events, event);
      hash.update(new Bun.CryptoHasher('sha256').update(text).digest());
      rows += 1;
    }
    return { rows, hash: hash.digest('hex') };
  }

  async sums(): Promise<ReadonlyMap<number, MonthSums>> {
    const { sql, month } = this.#source;
    const sums = new EventSums(month.end);
    for await (const event of eventsOfBlocks(sql, month)) {
      if ((event.journal_id ?? null) === null) continue;
      const nano = BigInt(String(event.booked_nano ?? 0));
      sums.add({ accountId: Number(event.account_id), nano, chargedMs: Date.parse(String(event.charged_at)) });
    }
    return sums.byAccount;
  }
}
