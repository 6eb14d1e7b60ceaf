/** What the seal of a month says of its accounts: the sums that the month before had, and what this one adds. */
import type { Sql } from 'postgres';
import { leastRequestId } from '../../database/partitions.ts';
import { ChargeFile } from '../archive/file/charge-file.ts';
import { findFile } from '../archive/find-file.ts';
import type { UsageArchive } from '../archive/usage-archive.ts';
import type { LedgerMonth } from '../months.ts';
import { readAccounts, type Seal, type SealedAccount } from './seal.ts';
import type { SealedRows } from './sealed-rows.ts';

interface Summed {
  readonly previous: Seal | undefined;
  readonly parts: readonly SealedRows[];
  /** Charges of requests of the next month that were made in this one. */
  readonly early: ReadonlyMap<number, bigint>;
}

/** The id of a request has the time of its proxy, and the charge that of Redis. Their clocks differ by less. */
const clockDifferenceMaxMs = 3_600_000;

export async function sumAccounts(
  sql: Sql,
  { previous, parts, early }: Summed,
): Promise<ReadonlyMap<number, SealedAccount>> {
  const accounts = new Map<number, SealedAccount>();
  const add = (accountId: number, more: SealedAccount) => {
    const before = accounts.get(accountId) ?? nothing;
    accounts.set(accountId, {
      balanceNano: before.balanceNano + more.balanceNano,
      endBalanceNano: before.endBalanceNano + more.endBalanceNano,
      creditedNano: before.creditedNano + more.creditedNano,
    });
  };
  if (previous !== undefined) {
    for (const [accountId, sums] of await readAccounts(sql, previous.month.month))
      add(accountId, { ...sums, endBalanceNano: sums.balanceNano });
  }
  for (const rows of parts) {
    for (const [accountId, { afterEndNano, ...sums }] of await rows.sums())
      add(accountId, { ...sums, endBalanceNano: sums.balanceNano - afterEndNano });
  }
  for (const [accountId, nano] of early) add(accountId, { ...nothing, endBalanceNano: nano });
  return accounts;
}

const nothing: SealedAccount = { balanceNano: 0n, endBalanceNano: 0n, creditedNano: 0n };

/** Charges of requests of the next month that were made in this one, by the clock of Redis. */
export async function readEarlyCharges(
  { sql, archive }: { readonly sql: Sql; readonly archive: UsageArchive },
  { end, untilId }: LedgerMonth,
): Promise<ReadonlyMap<number, bigint>> {
  const next = await findFile(sql, end.toISOString().slice(0, 10));
  return next === undefined
    ? readEarlyLines(sql, { end, untilId })
    : sumBefore(end, await ChargeFile.open(archive.store, next));
}

/** While the next month is in its tables. */
export async function readEarlyLines(
  sql: Sql,
  { end, untilId }: Pick<LedgerMonth, 'end' | 'untilId'>,
): Promise<Map<number, bigint>> {
  const lastId = leastRequestId(new Date(end.getTime() + clockDifferenceMaxMs));
  const rows = await sql<{ account_id: string; nano: string }[]>`
    SELECT account_id, sum(amount_nano) AS nano FROM (
      SELECT account_id, amount_nano FROM compact_lines
      WHERE request_id >= ${untilId} AND request_id < ${lastId} AND created_at < ${end}
      UNION ALL
      SELECT account_id, amount_nano FROM ledger_lines
      WHERE is_archived_charge AND request_id >= ${untilId} AND request_id < ${lastId}
        AND created_at >= ${end}::timestamptz - interval '1 hour' AND created_at < ${end}
    ) AS early GROUP BY account_id`;
  return new Map(rows.map(({ account_id, nano }) => [Number(account_id), BigInt(nano)]));
}

async function sumBefore(end: Date, file: ChargeFile): Promise<Map<number, bigint>> {
  const sums = new Map<number, bigint>();
  const endMicros = BigInt(end.getTime()) * 1_000n;
  for (const group of file.groups.filter(({ firstMicros }) => firstMicros < endMicros)) {
    for (const row of await file.rows(group, ['account_id', 'journal_id', 'booked_nano', 'charged_at'])) {
      if (row.journal_id === null || (row.charged_at as bigint) >= endMicros) continue;
      const accountId = Number(row.account_id);
      sums.set(accountId, (sums.get(accountId) ?? 0n) - (row.booked_nano as bigint));
    }
  }
  return sums;
}
