/**
 * Compares the totals of dimensions with the events of the months that are not sealed: what each value has is what was charged
 * for requests that have named it. What no value has is never stored, so groups always sum to the account's usage.
 */
import type { TransactionSql } from 'postgres';
import { formatUsd, nanoUsd } from '../../../../shared/money.ts';
import type { OpenMonths } from '../../../ledger/seals/open-months.ts';
import { type Scope, type Violation, violationsMax } from '../reconciliation.ts';

/** A request of a sealed month is not corrected, and a month is sealed a week after its end. */
const correctedDays = 40;

interface Row {
  readonly value_id: string;
  readonly dimension: string | null;
  readonly account_id: string | null;
  readonly requests: string;
  readonly cost: string;
  readonly requests_of_events: string;
  readonly cost_of_events: string;
}

/** An estimate counts for the values of the final charge that has replaced it. Values are personal data, so only numbers are named. */
export async function checkDimensions(
  sql: TransactionSql,
  { accountId }: Scope,
  { from }: OpenMonths,
): Promise<Violation[]> {
  const only = accountId === undefined ? sql`` : sql`WHERE account_id = ${accountId}`;
  const rows = await sql<Row[]>`
    WITH asked AS (SELECT id, account_id, name FROM dimensions ${only}),
    of_totals AS (
      SELECT value_id, sum(requests) AS requests, sum(cost_nano) AS cost FROM dimension_totals
      WHERE dimension_id IN (SELECT id FROM asked) AND bucket_15m >= ${from}::text::timestamptz GROUP BY value_id
    ), charged AS (
      SELECT request_id, rank, cost_nano, dimension_values FROM usage_events
      WHERE account_id IN (SELECT account_id FROM asked) AND charged_at >= ${from}::text::timestamptz
    ), booked AS (
      SELECT CASE WHEN charged.rank = 2 THEN charged.dimension_values
          ELSE coalesce(other.dimension_values, charged.dimension_values) END AS ids,
        CASE WHEN charged.rank = 2 AND other.rank IS NOT NULL THEN 0 ELSE 1 END AS requests,
        charged.cost_nano - CASE WHEN charged.rank = 2 THEN coalesce(other.cost_nano, 0) ELSE 0 END AS cost
      FROM charged LEFT JOIN usage_events AS other
        ON other.request_id = charged.request_id AND other.rank <> charged.rank
          AND other.account_id IN (SELECT account_id FROM asked)
          AND other.charged_at >= ${from}::text::timestamptz - ${correctedDays} * interval '1 day'
    ), of_events AS (
      SELECT value_id, sum(requests) AS requests, sum(cost) AS cost FROM booked CROSS JOIN LATERAL unnest(ids) AS value_id
      GROUP BY value_id
    )
    SELECT value_id, asked.name AS dimension, asked.account_id,
      coalesce(of_totals.requests, 0) AS requests, coalesce(of_totals.cost, 0) AS cost,
      coalesce(of_events.requests, 0) AS requests_of_events, coalesce(of_events.cost, 0) AS cost_of_events
    FROM of_totals FULL JOIN of_events USING (value_id)
    LEFT JOIN dimension_values ON dimension_values.id = value_id LEFT JOIN asked ON asked.id = dimension_id
    WHERE coalesce(of_totals.requests, 0) <> coalesce(of_events.requests, 0)
      OR coalesce(of_totals.cost, 0) <> coalesce(of_events.cost, 0)
    ORDER BY value_id LIMIT ${violationsMax}`;
  return rows.map((row) => ({
    kind: 'dimension_wrong',
    subject: `value ${row.value_id}`,
    accountId: row.account_id === null ? null : Number(row.account_id),
    amountNano: BigInt(row.cost) - BigInt(row.cost_of_events),
    message:
      `Value ${row.value_id} of the dimension ${row.dimension ?? '(unknown)'}: its totals are ${row.requests} requests and ` +
      `$${usd(row.cost)}, its events ${row.requests_of_events} and $${usd(row.cost_of_events)}.`,
  }));
}

const usd = (nano: string) => formatUsd(nanoUsd(BigInt(nano)));
