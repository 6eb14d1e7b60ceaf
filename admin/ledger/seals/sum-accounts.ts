/** What the seal of a month says of its accounts: the sums that the month before had, and what this one adds. */
import type { Sql } from 'postgres';
import { leastRequestId } from '../../database/partitions.ts';
import type { LedgerMonth } from '../months.ts';
import { readAccounts, type Seal, type SealedAccount } from './seal.ts';
import type { SealedRows } from './sealed-rows.ts';

interface Summed {
  readonly month: LedgerMonth;
  readonly previous: Seal | undefined;
  readonly parts: readonly SealedRows[];
}

/** The id of a request has the time of its proxy, and the charge that of Redis. Their clocks differ by less. */
const clockDifferenceMaxMs = 3_600_000;

export async function sumAccounts(
  sql: Sql,
  { month, previous, parts }: Summed,
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
  for (const [accountId, nano] of await readEarlyCharges(sql, month))
    add(accountId, { ...nothing, endBalanceNano: nano });
  return accounts;
}

const nothing: SealedAccount = { balanceNano: 0n, endBalanceNano: 0n, creditedNano: 0n };

/** Charges of requests of the next month that were made in this one, by the clock of Redis. */
async function readEarlyCharges(sql: Sql, { end, untilId }: LedgerMonth): Promise<Map<number, bigint>> {
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
