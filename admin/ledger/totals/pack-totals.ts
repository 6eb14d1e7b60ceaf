/**
 * Stores totals of an account as lists: each takes some twenty bytes then, and 250 before. What is read of them stays the same, as
 * one statement moves all that it moves of an account. What is booked for their time later has totals as usual.
 */
import type { PendingQuery, Row, Sql } from 'postgres';
import { units } from '../../../shared/usage/billable-units.ts';
import { arrayLiteral } from '../../database/array-literal.ts';
import type { LedgerMonth } from '../months.ts';

const accountsAtOnce = 200;

export interface Packing {
  /** Of accounts that have fewer, nothing is moved: lists of few would take more. */
  readonly min?: number | undefined;
  /** What one statement moves, unless a single account has more. */
  readonly atOnce?: number | undefined;
  /** So that a day of an account with many totals is read without its month. */
  readonly inPart?: number | undefined;
}

/** A month by UTC, or its beginning. */
export type TotalsRange = Pick<LedgerMonth, 'month' | 'end'>;

/** One program at a time may: see `numberedLocks.archive`. */
export async function packTotals(
  sql: Sql,
  range: TotalsRange,
  { min = 1, atOnce = 100_000, inPart = 10_000, signal }: Packing & { readonly signal?: AbortSignal } = {},
): Promise<void> {
  for (let after = '0'; signal?.aborted !== true; ) {
    const accounts = await countTotals(sql, range, after);
    const last = accounts.at(-1);
    if (last === undefined) return;
    const large = accounts.filter(({ totals }) => totals >= min);
    for (const accountIds of inStatements(large, atOnce)) await moveTotals(sql, { range, accountIds, inPart });
    after = last.id;
  }
}

interface Counted {
  readonly id: string;
  readonly totals: number;
}

/** Of the accounts that follow. */
function countTotals(sql: Sql, { month, end }: TotalsRange, after: string): Promise<Counted[]> {
  return sql<Counted[]>`
    SELECT id, (
      SELECT count(*)::int FROM usage_totals
      WHERE account_id = accounts.id AND bucket_15m >= ${month}::timestamp AT TIME ZONE 'UTC' AND bucket_15m < ${end}
    ) AS totals
    FROM accounts WHERE id > ${after} ORDER BY id LIMIT ${accountsAtOnce}`;
}

function inStatements(accounts: readonly Counted[], totalsAtOnce: number): string[][] {
  const statements: string[][] = [];
  let left = 0;
  for (const { id, totals } of accounts) {
    const current = statements.at(-1);
    if (current === undefined || totals > left) {
      statements.push([id]);
      left = totalsAtOnce;
    } else current.push(id);
    left -= totals;
  }
  return statements;
}

interface Moved {
  readonly range: TotalsRange;
  readonly accountIds: readonly string[];
  readonly inPart: number;
}

async function moveTotals(sql: Sql, { range: { month, end }, accountIds, inPart }: Moved): Promise<void> {
  const starts = sql`${month}::timestamp AT TIME ZONE 'UTC'`;
  // The longest runs of equal values, so that Postgres compresses the lists well.
  const order = sql`ORDER BY key_number, model_number, quarter`;
  const list = (value: PendingQuery<Row[]>) => sql`array_agg(${value} ${order})`;
  const counts = units.map(({ column }) => sql`${sql(column)},`);
  await sql`
    WITH moved AS (
      DELETE FROM usage_totals
      WHERE account_id = ANY(${arrayLiteral(accountIds)}::bigint[]) AND bucket_15m >= ${starts} AND bucket_15m < ${end}
      RETURNING *
    ), parted AS (
      SELECT *, (extract(epoch FROM bucket_15m - ${starts}) / 900)::smallint AS quarter,
        ((row_number() OVER (PARTITION BY account_id ORDER BY bucket_15m, key_id, model) - 1) / ${inPart}::int)::int AS part
      FROM moved
    ), numbered AS (
      SELECT *,
        dense_rank() OVER (PARTITION BY account_id, part ORDER BY key_id)::int AS key_number,
        dense_rank() OVER (PARTITION BY account_id, part ORDER BY model)::int AS model_number
      FROM parted
    ), lists AS (
      SELECT account_id, part, min(quarter) AS first_quarter, max(quarter) AS last_quarter,
        array_agg(DISTINCT model ORDER BY model) AS models, ${list(sql`quarter`)} AS quarters,
        ${list(sql`key_number`)} AS key_numbers, ${list(sql`model_number`)} AS model_numbers,
        ${list(sql`requests`)} AS requests,
        ${units.map(({ column }) => {
          const count = sql`coalesce(${sql(column)}, 0)`;
          return sql`CASE WHEN bool_or(${count} <> 0) THEN ${list(count)} END AS ${sql(column)},`;
        })}
        ${list(sql`cost_nano`)} AS costs_nano
      FROM numbered GROUP BY account_id, part
    ), keys AS (
      SELECT account_id, part, array_agg(key_id ORDER BY key_id) AS key_ids, array_agg(cost_nano ORDER BY key_id) AS key_costs_nano,
        array_agg(last_charged_at ORDER BY key_id) AS keys_last_charged_at
      FROM (
        SELECT account_id, part, key_id, sum(cost_nano)::bigint AS cost_nano, max(last_charged_at) AS last_charged_at
        FROM parted GROUP BY account_id, part, key_id
      ) AS key GROUP BY account_id, part
    )
    INSERT INTO archived_totals (account_id, month, part, first_quarter, last_quarter, key_ids, key_costs_nano,
      keys_last_charged_at, models, quarters, key_numbers, model_numbers, requests, ${counts} costs_nano)
    SELECT account_id, ${month}::date,
      part + (SELECT count(*) FROM archived_totals AS earlier WHERE earlier.account_id = lists.account_id AND month = ${month}::date),
      first_quarter, last_quarter, key_ids, key_costs_nano, keys_last_charged_at, models, quarters, key_numbers,
      model_numbers, requests, ${counts} costs_nano
    FROM lists JOIN keys USING (account_id, part)`;
}
