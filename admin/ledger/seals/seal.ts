/** A seal as it is stored, and its hash, which continues that of the month before. */
import type { Sql } from 'postgres';
import type { SealedPart } from '../../database/tables/seals.ts';
import { type LedgerMonth, monthOf } from '../months.ts';
import type { AccountSums } from './sealed-rows.ts';

/** What a seal says of an account. */
export interface SealedAccount extends AccountSums {
  /** At the end of the month: what was made later is not in it, and what was made earlier by requests of the next is. */
  readonly endBalanceNano: bigint;
}

export interface Seal {
  readonly month: LedgerMonth;
  readonly format: number;
  readonly columns: Readonly<Record<SealedPart, readonly string[]>>;
  /** In hexadecimal; empty for the first month. */
  readonly previousHash: string;
  /** Null while the month is being sealed. */
  readonly hash: string | null;
  readonly startedAt: Date;
}

export interface SealedBlock {
  readonly part: SealedPart;
  readonly lastKey: string;
  readonly rows: number;
  readonly hash: string;
}

interface SealRow {
  readonly month: string;
  readonly format: number;
  readonly columns: Seal['columns'];
  readonly previous_hash: string;
  readonly hash: string | null;
  readonly started_at: Date;
}

/** Finished ones and, last, the one that is being made; oldest first. */
export async function readSeals(sql: Sql): Promise<Seal[]> {
  const rows = await sql<SealRow[]>`
    SELECT month::text, format, columns, previous_hash, hash, started_at FROM sealed_months ORDER BY month`;
  return rows.map(({ month, format, columns, previous_hash, hash, started_at }) => ({
    month: monthOf(new Date(month)),
    format,
    columns,
    previousHash: previous_hash,
    hash,
    startedAt: started_at,
  }));
}

/** In the order in which they are hashed. */
export async function readBlocks(sql: Sql, { month }: LedgerMonth): Promise<SealedBlock[]> {
  const rows = await sql<{ part: SealedPart; last_key: string; rows: number; hash: string }[]>`
    SELECT part, last_key, rows, hash FROM sealed_blocks WHERE month = ${month} ORDER BY part, number`;
  return rows.map(({ part, last_key: lastKey, rows: count, hash }) => ({ part, lastKey, rows: count, hash }));
}

/** What accounts had at the end of a month. */
export async function readAccounts(sql: Sql, month: string): Promise<Map<number, SealedAccount>> {
  const rows = await sql<Record<'account_id' | 'balance_nano' | 'end_balance_nano' | 'credited_nano', string>[]>`
    SELECT account_id, balance_nano, end_balance_nano, credited_nano FROM sealed_accounts
    WHERE month = ${month} ORDER BY account_id`;
  return new Map(
    rows.map(({ account_id, balance_nano, end_balance_nano, credited_nano }) => [
      Number(account_id),
      {
        balanceNano: BigInt(balance_nano),
        endBalanceNano: BigInt(end_balance_nano),
        creditedNano: BigInt(credited_nano),
      },
    ]),
  );
}

/** SHA-256 of the hash of the month before, then a line for each block and one for each account, in order. */
export function hashSeal(
  { month, format, columns, previousHash }: Pick<Seal, 'month' | 'format' | 'columns' | 'previousHash'>,
  blocks: readonly SealedBlock[],
  accounts: ReadonlyMap<number, SealedAccount>,
): string {
  const hash = new Bun.CryptoHasher('sha256');
  hash.update(`${previousHash} ${month.month} ${format} ${columns.lines.join(',')} ${columns.events.join(',')}\n`);
  for (const { part, lastKey, rows, hash: ofRows } of blocks) hash.update(`${part} ${lastKey} ${rows} ${ofRows}\n`);
  const ids = [...accounts.keys()].toSorted((one, other) => one - other);
  for (const id of ids) {
    const { balanceNano = 0n, endBalanceNano = 0n, creditedNano = 0n } = accounts.get(id) ?? {};
    hash.update(`${id} ${balanceNano} ${endBalanceNano} ${creditedNano}\n`);
  }
  return hash.digest('hex');
}
