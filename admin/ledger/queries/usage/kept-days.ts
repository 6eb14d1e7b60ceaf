/**
 * Days that are over, each with what its usage sums to by model, or by key: so a chart of a year reads as many rows as it has days.
 * They are made when somebody first looks, for the days of their time zone. A charge that is booked later for such a day changes the
 * epoch of its month (a trigger of `usage_totals`, drizzle/0055_kept_days.sql), and days with another epoch are made again.
 */
import type { Sql } from 'postgres';
import { type LocalDay, localDays } from '../../../../shared/days-of-zone.ts';
import { nanoUsd } from '../../../../shared/money.ts';
import { perUnit, units } from '../../../../shared/usage/billable-units.ts';
import { arrayLiteral } from '../../../database/array-literal.ts';
import { assignedGroupings, type UsageQuery, type UsageSum } from './usage-query.ts';

type KeptGrouping = 'model' | 'assignment';

/** A group of a day: the model, or the id of the assignment. Counts of 0 are left out. */
type KeptGroup = readonly [group: string, requests: number, costNano: string, counts: Readonly<Record<string, number>>];

/** Shorter ranges, and those of accounts with fewer totals in them, are added up as they are asked for. */
const daysMin = 8;
const usualTotalsMin = 10_000;
/** A charge is booked by then, unless something has failed; what comes later changes the epoch. */
const overAfter = '48 hours';
/** What one statement adds up: well within its time limit, for any account. */
const daysAtOnce = 31;

/** The days of the time zone in the range that are over, if days help to answer the query; none otherwise. */
export async function daysToKeep(
  sql: Sql,
  query: UsageQuery,
  totalsMin = usualTotalsMin,
): Promise<readonly LocalDay[]> {
  const { accountId, from, to, timeZone, groupBy, keysOf, dimension } = query;
  const isByKey = assignedGroupings.some((each) => groupBy.has(each));
  if (groupBy.has('hour') || keysOf !== undefined || dimension !== undefined || (isByKey && groupBy.has('model')))
    return [];
  if (to.getTime() - from.getTime() < daysMin * 86_400_000) return [];
  const [row] = await sql<{ over: Date; worthwhile: boolean }[]>`
    SELECT now() - ${overAfter}::interval AS over, CASE WHEN now() - ${overAfter}::interval > ${from} THEN
      EXISTS (SELECT FROM usage_days WHERE account_id = ${accountId}) OR EXISTS (
        SELECT FROM usage_totals_between(${accountId}, ${from}, ${to})
        OFFSET ${totalsMin - 1} LIMIT 1
      ) ELSE false END AS worthwhile`;
  if (row === undefined || !row.worthwhile) return [];
  return localDays({ from, to: row.over < to ? row.over : to }, timeZone);
}

/** Of these days, which follow each other. A sum for each day and group, or more than one. */
export async function readKeptDays(sql: Sql, query: UsageQuery, days: readonly LocalDay[]): Promise<UsageSum[]> {
  const { accountId, groupBy } = query;
  const grouping: KeptGrouping = assignedGroupings.some((each) => groupBy.has(each)) ? 'assignment' : 'model';
  const epochs = await readEpochs(sql, accountId);
  const kept = await findKept(sql, { accountId, grouping, days, epochs });
  const missing = days.filter(({ starts }) => !kept.has(starts.getTime()));
  for (const stretch of stretchesOf(missing)) {
    for (const [startMs, groups] of await keepDays(sql, { accountId, grouping, days: stretch, epochs }))
      kept.set(startMs, groups);
  }
  const places = grouping === 'assignment' ? await readPlaces(sql, accountId, kept) : new Map<string, Place>();
  return days.flatMap(({ day, starts }) =>
    (kept.get(starts.getTime()) ?? []).map((group) => sumOf(group, { day, grouping, groupBy, places })),
  );
}

interface Keeping {
  readonly accountId: number;
  readonly grouping: KeptGrouping;
  readonly days: readonly LocalDay[];
  readonly epochs: Epochs;
}

/** By the first day of a month, by UTC. */
type Epochs = ReadonlyMap<string, number>;

async function readEpochs(sql: Sql, accountId: number): Promise<Epochs> {
  const rows = await sql<{ month: string; epoch: string }[]>`
    SELECT month::text, epoch FROM usage_epochs WHERE account_id = ${accountId}`;
  return new Map(rows.map(({ month, epoch }) => [month, Number(epoch)]));
}

/** A day may lie in two months. */
function epochOf({ starts, ends }: LocalDay, epochs: Epochs): number {
  const months = new Set([starts, new Date(ends.getTime() - 1)].map((time) => `${time.toISOString().slice(0, 7)}-01`));
  return [...months].reduce((sum, month) => sum + (epochs.get(month) ?? 0), 0);
}

/** Those of their epoch, by when they start. */
async function findKept(
  sql: Sql,
  { accountId, grouping, days, epochs }: Keeping,
): Promise<Map<number, readonly KeptGroup[]>> {
  const rows = await sql<{ starts: Date; ends: Date; epoch: string; sums: readonly KeptGroup[] }[]>`
    SELECT starts, ends, epoch, sums FROM usage_days
    WHERE account_id = ${accountId} AND grouping = ${grouping}
      AND starts = ANY(${arrayLiteral(days.map(({ starts }) => starts))}::timestamptz[])`;
  const wanted = new Map(days.map((day) => [`${day.starts.getTime()} ${day.ends.getTime()}`, epochOf(day, epochs)]));
  return new Map(
    rows
      .filter(({ starts, ends, epoch }) => wanted.get(`${starts.getTime()} ${ends.getTime()}`) === Number(epoch))
      .map(({ starts, sums }) => [starts.getTime(), sums]),
  );
}

/** Days that follow each other, some at a time. */
function stretchesOf(days: readonly LocalDay[]): LocalDay[][] {
  const stretches: LocalDay[][] = [];
  for (const day of days) {
    const last = stretches.at(-1);
    const follows = last?.at(-1)?.ends.getTime() === day.starts.getTime();
    if (last !== undefined && follows && last.length < daysAtOnce) last.push(day);
    else stretches.push([day]);
  }
  return stretches;
}

/** The epochs were read before: what is booked in between makes these days be made again. */
async function keepDays(
  sql: Sql,
  { accountId, grouping, days, epochs }: Keeping,
): Promise<Map<number, readonly KeptGroup[]>> {
  const [first, last] = [days[0], days.at(-1)];
  if (first === undefined || last === undefined) return new Map();
  const group = grouping === 'model' ? sql`model` : sql`key_id::text`;
  const starts = arrayLiteral(days.map((day) => day.starts));
  const rows = await sql<Readonly<Record<string, string | null>>[]>`
    SELECT width_bucket(bucket_15m, ${starts}::timestamptz[]) AS number, ${group} AS "group", sum(requests) AS requests,
      ${units.map(({ column }) => sql`sum(${sql(column)}) AS ${sql(column)},`)} sum(cost_nano) AS cost
    FROM usage_totals_between(${accountId}, ${first.starts}, ${last.ends})
    GROUP BY 1, 2`;
  const byDay = Map.groupBy(rows, ({ number }) => Number(number) - 1);
  const made = days.map((_, index): readonly KeptGroup[] => (byDay.get(index) ?? []).map(keptGroupOf));
  await sql`
    INSERT INTO usage_days (account_id, grouping, starts, ends, epoch, sums)
    SELECT ${accountId}, ${grouping}, unnest(${starts}::timestamptz[]),
      unnest(${arrayLiteral(days.map(({ ends }) => ends))}::timestamptz[]),
      unnest(${arrayLiteral(days.map((day) => epochOf(day, epochs)))}::bigint[]),
      unnest(${arrayLiteral(made.map((groups) => JSON.stringify(groups)))}::text[])::jsonb
    ON CONFLICT (account_id, grouping, starts, ends) DO UPDATE SET epoch = excluded.epoch, sums = excluded.sums`;
  return new Map(days.map((day, index) => [day.starts.getTime(), made[index] ?? []]));
}

function keptGroupOf(row: Readonly<Record<string, string | null>>): KeptGroup {
  const counts: Record<string, number> = {};
  for (const { column } of units) {
    const count = Number(row[column]);
    if (count !== 0) counts[column] = count;
  }
  return [row.group ?? '', Number(row.requests), row.cost ?? '0', counts];
}

interface Place {
  readonly keyId: number;
  readonly projectId: number | null;
  readonly memberId: number | null;
}

/** Where the keys were, by the id of the assignment. One that is not there is the id of a key that had never been moved. */
async function readPlaces(
  sql: Sql,
  accountId: number,
  kept: ReadonlyMap<number, readonly KeptGroup[]>,
): Promise<ReadonlyMap<string, Place>> {
  const ids = new Set([...kept.values()].flatMap((groups) => groups.map(([id]) => id)));
  const rows = await sql<Record<'id' | 'key_id' | 'project_id' | 'user_id', string | null>[]>`
    SELECT id, key_id, project_id, user_id FROM assignments
    WHERE account_id = ${accountId} AND id = ANY(${arrayLiteral([...ids])}::bigint[])`;
  const numberOrNull = (text: string | null) => (text === null ? null : Number(text));
  return new Map(
    rows.map(({ id, key_id, project_id, user_id }) => [
      String(id),
      { keyId: Number(key_id), projectId: numberOrNull(project_id), memberId: numberOrNull(user_id) },
    ]),
  );
}

interface Shown extends Pick<UsageQuery, 'groupBy'> {
  readonly day: string;
  readonly grouping: KeptGrouping;
  readonly places: ReadonlyMap<string, Place>;
}

function sumOf([group, requests, cost, counts]: KeptGroup, { day, grouping, groupBy, places }: Shown): UsageSum {
  const place =
    grouping === 'assignment'
      ? (places.get(group) ?? { keyId: Number(group), projectId: null, memberId: null })
      : undefined;
  return {
    day: groupBy.has('day') ? day : null,
    hour: null,
    model: groupBy.has('model') ? group : null,
    keyId: groupBy.has('key') ? (place?.keyId ?? null) : null,
    projectId: groupBy.has('project') ? (place?.projectId ?? null) : null,
    memberId: groupBy.has('member') ? (place?.memberId ?? null) : null,
    value: null,
    requests,
    ...perUnit(({ column }) => counts[column] ?? 0),
    costNano: nanoUsd(BigInt(cost)),
  };
}
