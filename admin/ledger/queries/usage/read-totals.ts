/**
 * Sums of an account's totals, and of those of a dimension, which are kept as charges are booked. They are per quarter of an hour,
 * which is how days of every time zone can be added up.
 */
import type { Sql } from 'postgres';
import { offsetPeriods } from '../../../../shared/days-of-zone.ts';
import { nanoUsd } from '../../../../shared/money.ts';
import { perUnit, units } from '../../../../shared/usage/billable-units.ts';
import { arrayLiteral } from '../../../database/array-literal.ts';
import { otherValue } from '../charged-dimensions.ts';
import { assignedGroupings, type UsageQuery, type UsageSum } from './usage-query.ts';

type Row = { readonly [Field in Exclude<keyof UsageSum, 'hour'>]: string | null } & Pick<UsageSum, 'hour'>;

/** As many as are read and rendered without a break: a few milliseconds. */
const rowsAtOnce = 500;

/** Ordered by day, hour, model, key, project, member and value. Other requests are served while thousands of rows are read. */
export async function readTotals(sql: Sql, query: UsageQuery): Promise<UsageSum[]> {
  const { accountId, keysOf, timeZone, groupBy, rowsMax } = query;
  const nothing = sql`NULL`;
  const periods = offsetPeriods(query, timeZone);
  const starts = arrayLiteral(periods.map(({ start }) => start));
  const seconds = arrayLiteral(periods.map((period) => period.seconds));
  const offset = sql`
    (${seconds}::int[])[width_bucket(bucket_15m, ${starts}::timestamptz[])] * interval '1 second'`;
  const ofKeys =
    keysOf === undefined
      ? sql``
      : sql`AND coalesce(assignments.key_id, total.key_id)
          IN (SELECT id FROM api_keys WHERE account_id = ${accountId} AND created_by = ${keysOf})`;
  const assigned = sql`LEFT JOIN assignments ON assignments.id = total.key_id AND assignments.account_id = ${accountId}`;
  const isAssigned = keysOf !== undefined || assignedGroupings.some((each) => groupBy.has(each));
  const sums: UsageSum[] = [];
  const rows = sql<Row[]>`
    SELECT day::text, hour::timestamptz, model, key_id::text AS "keyId", project_id::text AS "projectId",
      user_id::text AS "memberId", value, sum(requests) AS requests,
      ${units.map(({ name, column }) => sql`sum(${sql(column)}) AS ${sql(name)},`)}
      sum(cost_nano) AS "costNano"
    FROM (
      SELECT ${groupBy.has('day') ? sql`(bucket_15m AT TIME ZONE 'UTC' + ${offset})::date` : nothing} AS day,
        ${groupBy.has('hour') ? sql`date_trunc('hour', bucket_15m + ${offset}, 'UTC') - ${offset}` : nothing} AS hour,
        ${groupBy.has('model') ? sql`model` : nothing} AS model,
        ${groupBy.has('key') ? sql`coalesce(assignments.key_id, total.key_id)` : nothing} AS key_id,
        ${groupBy.has('project') ? sql`assignments.project_id` : nothing} AS project_id,
        ${groupBy.has('member') ? sql`assignments.user_id` : nothing} AS user_id, value,
        requests, ${sql(units.map(({ column }) => column))}, cost_nano
      FROM ${totalsOf(sql, query)} AS total ${isAssigned ? assigned : sql``} WHERE true ${ofKeys}
    ) AS grouped
    GROUP BY day, hour, model, key_id, project_id, user_id, value
    ${query.dimension === undefined ? sql`` : hasUsage(sql)}
    ORDER BY day, hour, model COLLATE "C", key_id, project_id, user_id, value LIMIT ${rowsMax}`;
  for await (const batch of rows.cursor(rowsAtOnce)) sums.push(...batch.map(sumOf));
  return sums;
}

/**
 * With a dimension, what its values have, and the totals of the account less that as what has no value: so groups add up to the
 * totals, whatever was attributed.
 */
function totalsOf(sql: Sql, { accountId, from, to, dimension }: UsageQuery) {
  const columns = sql(['bucket_15m', 'key_id', 'model', 'requests', ...units.map(({ column }) => column), 'cost_nano']);
  const isInRange = sql`bucket_15m >= ${from} AND bucket_15m < ${to}`;
  const ofAccount = sql`
    SELECT NULL AS value, ${columns} FROM usage_totals_between(${accountId}, ${from}, ${to})`;
  if (dimension === undefined) return sql`(${ofAccount})`;
  const signed = (column: string) => sql`, sign * ${sql(column)}`;
  return sql`(
    ${ofAccount} UNION ALL
    SELECT CASE WHEN sign = 1 THEN coalesce(value, ${otherValue}) END, bucket_15m, key_id, model
      ${['requests', ...units.map(({ column }) => column), 'cost_nano'].map(signed)}
    FROM dimension_totals JOIN dimension_values ON dimension_values.id = value_id CROSS JOIN (VALUES (1), (-1)) AS signs (sign)
    WHERE dimension_totals.dimension_id = ${dimension.id} AND ${isInRange}
  )`;
}

/** All of a group may have values. */
const hasUsage = (sql: Sql) => sql`
  HAVING sum(requests) <> 0 ${units.map(({ column }) => sql`OR sum(${sql(column)}) <> 0`)} OR sum(cost_nano) <> 0`;

const numberOrNull = (text: string | null) => (text === null ? null : Number(text));

function sumOf(row: Row): UsageSum {
  return {
    day: row.day,
    hour: row.hour,
    model: row.model,
    keyId: numberOrNull(row.keyId),
    projectId: numberOrNull(row.projectId),
    memberId: numberOrNull(row.memberId),
    value: row.value,
    requests: Number(row.requests),
    ...perUnit(({ name }) => Number(row[name])),
    costNano: nanoUsd(BigInt(row.costNano ?? '0')),
  };
}
