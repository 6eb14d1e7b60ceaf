/**
 * When archived charges of some keys or a model were made, by the totals of their account: a list of what is rare among them then
 * reads little else.
 */
import { type SQL, sql } from 'drizzle-orm';
import { arrayLiteral } from '../../database/array-literal.ts';
import type { DbOrTransaction } from '../../database/connect.ts';
import type { TimeRange } from '../times.ts';

export interface QuartersWanted extends TimeRange {
  readonly accountId: number;
  readonly model?: string | undefined;
  /** Of `key_assignments`; any if undefined. */
  readonly assignmentIds?: readonly number[] | undefined;
}

export interface QuartersOfMonth {
  /** The starts of quarters of an hour. */
  readonly quarters: readonly Date[];
  /** All that are wanted since then are among these and those before. */
  readonly readFrom: Date;
}

/** Months of archived charges, the latest first. In one statement for each, so that totals that are moved are not missed. */
export async function* chargedQuarters(db: DbOrTransaction, wanted: QuartersWanted): AsyncGenerator<QuartersOfMonth> {
  for (const { starts, ends } of await listArchivedMonths(db, wanted)) {
    const rows = await db.execute<{ quarter: Date }>(selectQuarters(wanted, { starts, ends }));
    if (rows.length > 0) yield { quarters: rows.map(({ quarter }) => quarter), readFrom: starts };
  }
}

type ArchivedRange = {
  readonly starts: Date;
  /** Exclusive. */
  readonly ends: Date;
};

/** Of the times of all archived charges, which may be some days more than the months of their requests. */
async function listArchivedMonths(db: DbOrTransaction, { from, to }: TimeRange): Promise<ArchivedRange[]> {
  const rows = await db.execute<ArchivedRange>(sql`
    SELECT month AT TIME ZONE 'UTC' AS starts, least(month + interval '1 month', last + interval '1 ms') AT TIME ZONE 'UTC' AS ends
    FROM (
      SELECT min(first_charged_at) AT TIME ZONE 'UTC' AS first, max(last_charged_at) AT TIME ZONE 'UTC' AS last
      FROM archived_months WHERE file IS NOT NULL AND finished_at IS NOT NULL
    ) AS archived, generate_series(date_trunc('month', first), last, interval '1 month') AS month
    ORDER BY month DESC`);
  return rows.filter(({ starts, ends }) => (from === undefined || ends > from) && (to === undefined || starts < to));
}

function selectQuarters({ accountId, model, assignmentIds, from, to }: QuartersWanted, month: ArchivedRange): SQL {
  const since = from !== undefined && from > month.starts ? from : month.starts;
  const until = to !== undefined && to < month.ends ? to : month.ends;
  const ids = assignmentIds && sql`${arrayLiteral(assignmentIds)}::bigint[]`;
  // The number of each value in the lists of a part, which its totals have instead.
  const numbersOf = (list: SQL, isWanted: SQL) =>
    sql`SELECT array_agg(number) AS numbers FROM unnest(${list}) WITH ORDINALITY AS listed (value, number) WHERE ${isWanted}`;
  const any = sql`SELECT NULL::bigint[] AS numbers`;
  return sql`
    SELECT DISTINCT quarter FROM (
      SELECT bucket_15m AS quarter FROM usage_totals
      WHERE account_id = ${accountId} AND bucket_15m > ${since.toISOString()}::timestamptz - interval '15 minutes'
        AND bucket_15m < ${until.toISOString()}::timestamptz
        ${ids === undefined ? sql`` : sql`AND key_id = ANY(${ids})`} ${model === undefined ? sql`` : sql`AND model = ${model}`}
      UNION ALL
      SELECT month::timestamp AT TIME ZONE 'UTC' + total.quarter * interval '15 minutes' AS quarter
      FROM archived_totals AS archived
      CROSS JOIN LATERAL (${ids === undefined ? any : numbersOf(sql`key_ids`, sql`value = ANY(${ids})`)}) AS key
      CROSS JOIN LATERAL (${model === undefined ? any : numbersOf(sql`models`, sql`value = ${model}`)}) AS model
      CROSS JOIN LATERAL unnest(quarters, key_numbers, model_numbers) AS total (quarter, key_number, model_number)
      WHERE account_id = ${accountId} AND month = (${month.starts.toISOString()}::timestamptz AT TIME ZONE 'UTC')::date
        ${ids === undefined ? sql`` : sql`AND key_ids && ${ids} AND key_number = ANY(key.numbers)`}
        ${model === undefined ? sql`` : sql`AND ${model} = ANY(models) AND model_number = ANY(model.numbers)`}
    ) AS charged
    WHERE quarter > ${since.toISOString()}::timestamptz - interval '15 minutes' AND quarter < ${until.toISOString()}::timestamptz`;
}
