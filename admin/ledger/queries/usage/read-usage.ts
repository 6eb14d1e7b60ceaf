/**
 * An account's usage by day or hour in any time zone, by model, key, project, member and one of its dimensions. Of an account with much
 * of it, days that are over are added up once (kept-days.ts), so a chart of a year costs what it shows, and not what was charged.
 */
import type { Sql } from 'postgres';
import { nanoUsd } from '../../../../shared/money.ts';
import { perUnit } from '../../../../shared/usage/billable-units.ts';
import { daysToKeep, readKeptDays } from './kept-days.ts';
import { readTotals } from './read-totals.ts';
import type { UsageQuery, UsageSum } from './usage-query.ts';

/** Ordered by day, hour, model, key, project, member and value. Other requests are served while thousands of rows are read. */
export async function readUsage(
  sql: Sql,
  query: UsageQuery,
  { totalsMin }: { readonly totalsMin?: number } = {},
): Promise<UsageSum[]> {
  const days = await daysToKeep(sql, query, totalsMin);
  const [first, last] = [days[0], days.at(-1)];
  if (first === undefined || last === undefined) return readTotals(sql, query);
  const sums = [
    ...(query.from < first.starts ? await readTotals(sql, { ...query, to: first.starts }) : []),
    ...(await readKeptDays(sql, query, days)),
    ...(last.ends < query.to ? await readTotals(sql, { ...query, from: last.ends }) : []),
  ];
  return addUp(sums).sort(inOrder).slice(0, query.rowsMax);
}

/** One for each group. */
function addUp(sums: readonly UsageSum[]): UsageSum[] {
  const groups = new Map<string, UsageSum>();
  for (const sum of sums) {
    const group = JSON.stringify([sum.day, sum.model, sum.keyId, sum.projectId, sum.memberId]);
    const before = groups.get(group);
    groups.set(group, before === undefined ? sum : added(before, sum));
  }
  return [...groups.values()];
}

function added(one: UsageSum, other: UsageSum): UsageSum {
  return {
    ...one,
    requests: one.requests + other.requests,
    ...perUnit(({ name }) => one[name] + other[name]),
    costNano: nanoUsd(one.costNano + other.costNano),
  };
}

/** As Postgres orders them: what is null comes last. */
function inOrder(one: UsageSum, other: UsageSum): number {
  return (
    compare(one.day, other.day) ||
    compare(one.model, other.model) ||
    compare(one.keyId, other.keyId) ||
    compare(one.projectId, other.projectId) ||
    compare(one.memberId, other.memberId)
  );
}

function compare<Value extends string | number>(one: Value | null, other: Value | null): number {
  if (one === other) return 0;
  if (one === null || other === null) return one === null ? 1 : -1;
  return one < other ? -1 : 1;
}
