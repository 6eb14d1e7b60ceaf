/**
 * Books charges as one row each: the usage event is the charge's line in the ledger. The locks on the accounts keep
 * batches with the same charges apart, because all charges of a request are of one account.
 *
 * Estimates are rare: they are made only for requests whose proxies have died or were cut off. A request that begins with
 * one has a head, so that its final charge finds it. Any other request is known by its final event.
 */
import type { TransactionSql } from 'postgres';
import { arrayLiteral } from '../../database/array-literal.ts';
import { addToTotals } from './add-to-totals.ts';
import { insertCompactEvents } from './insert-events.ts';
import { lockAccounts } from './lock-accounts.ts';
import type { ValuesOfCharges } from './name-values.ts';
import { type BookedBatch, type Head, planPostings } from './plan-postings.ts';
import type { Charge } from './read-usage-entry.ts';

interface OwnedHead extends Head {
  readonly accountId: number;
}

const estimateRank = 1;

/**
 * With `assumeNew`, requests without a head are taken for new: nearly all are, and a lookup each would cost as much as an
 * index. If one was booked before, the insert violates the primary key (`isBookedBefore`), and nothing is booked.
 *
 * The accounts' balances are up to the caller.
 */
export async function bookCompact(
  transaction: TransactionSql,
  charges: readonly Charge[],
  { assumeNew, values }: { assumeNew: boolean; values: ValuesOfCharges },
): Promise<BookedBatch> {
  const known = await lockAccounts(transaction, new Set(charges.map(({ accountId }) => accountId)));
  const before = await readHeads(transaction, charges, assumeNew);
  const owners = new Map(charges.map(({ requestId, accountId }) => [requestId, accountId]));
  const isOwn = ({ requestId, accountId }: Charge) =>
    known.has(accountId) && (before.get(requestId)?.accountId ?? owners.get(requestId)) === accountId;
  const plan = planPostings(charges.filter(isOwn), before);
  if (plan.postings.length > 0) {
    await insertCompactEvents(transaction, plan.postings, values);
    await storeHeads(transaction, plan, owners);
    await addToTotals(transaction, plan.postings, values);
  }
  return { plan, unknown: charges.filter((charge) => !isOwn(charge)) };
}

/** Whether an event violated its primary key, in whichever partition. */
export function isBookedBefore(error: unknown): boolean {
  const violates = error instanceof Error && 'code' in error && error.code === uniqueViolation;
  return violates && 'table_name' in error && String(error.table_name).startsWith('usage_events');
}

/** https://www.postgresql.org/docs/current/errcodes-appendix.html */
const uniqueViolation = '23505';

/** An estimate that arrives after its final charge must find that one, even if the others are taken for new. */
async function readHeads(
  transaction: TransactionSql,
  charges: readonly Charge[],
  assumeNew: boolean,
): Promise<ReadonlyMap<string, OwnedHead>> {
  const ids = charges.map(({ requestId }) => requestId);
  const doubted = assumeNew
    ? charges.filter(({ rank }) => rank === estimateRank).map(({ requestId }) => requestId)
    : ids;
  const rows = await transaction<{ request_id: string; account_id: string; rank: number; charged_nano: string }[]>`
    SELECT request_id, account_id, rank, charged_nano FROM usage_requests
    WHERE request_id = ANY(${arrayLiteral(ids)}::uuid[])
    UNION ALL
    SELECT request_id, account_id, rank, charged_nano FROM charged_requests
    WHERE request_id = ANY(${arrayLiteral(doubted)}::uuid[])`;
  return new Map(
    rows.map(({ request_id, account_id, rank, charged_nano }) => [
      request_id,
      { accountId: Number(account_id), rank, chargedNano: BigInt(charged_nano) },
    ]),
  );
}

/** Of requests that have begun with an estimate. */
async function storeHeads(
  transaction: TransactionSql,
  { postings, heads }: BookedBatch['plan'],
  owners: ReadonlyMap<string, number>,
): Promise<void> {
  const estimated = new Set<string>();
  for (const { charge, earlierRank } of postings) {
    if (charge.rank === estimateRank || earlierRank > 0) estimated.add(charge.requestId);
  }
  if (estimated.size === 0) return;
  const rows = [...heads].filter(([requestId]) => estimated.has(requestId));
  await transaction`
    INSERT INTO usage_requests (request_id, account_id, rank, charged_nano)
    SELECT
      unnest(${arrayLiteral(rows.map(([requestId]) => requestId))}::uuid[]),
      unnest(${arrayLiteral(rows.map(([requestId]) => owners.get(requestId) ?? null))}::bigint[]),
      unnest(${arrayLiteral(rows.map(([, { rank }]) => rank))}::smallint[]),
      unnest(${arrayLiteral(rows.map(([, { chargedNano }]) => chargedNano))}::bigint[])
    ON CONFLICT (request_id) DO UPDATE SET rank = excluded.rank, charged_nano = excluded.charged_nano`;
}
