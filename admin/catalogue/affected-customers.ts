/**
 * The customers that a change of the catalogue affects: accounts that used a model whose price changes or that is removed, in the last 30 days,
 * and what the same usage would cost them.
 */
import type { Sql } from 'postgres';
import { costDifference, exactCostOf, formatPicoUsd, type PicoUsd, percentChange } from '../../shared/money.ts';
import { countWithoutParts, perUnit, tokenUnits, type UnitCounts, units } from '../../shared/usage/billable-units.ts';
import type { ListedPrices } from './apply-catalogue.ts';
import type { CatalogueDifference } from './compare-catalogue.ts';

export const usualDays = 30;
export const customersMax = 100;

/**
 * Decimal USD. Null if there is nothing to compare: a removed model, images, several rates or a price per request. Totals count
 * neither the sizes of images nor the rates that applied, and no request that had no price of its own.
 */
interface CostChange {
  readonly before: string | null;
  readonly after: string | null;
  readonly difference: string | null;
  readonly percent: string | null;
}

interface AffectedModel extends CostChange {
  readonly model: string;
  readonly requests: number;
  readonly removed: boolean;
}

export interface AffectedCustomer extends CostChange {
  readonly accountId: number;
  readonly email: string | null;
  readonly models: readonly AffectedModel[];
}

interface UsageRow extends Record<keyof UnitCounts, string> {
  readonly accountId: string;
  readonly email: string | null;
  readonly model: string;
  readonly requests: string;
}

interface Affected {
  readonly before: ListedPrices;
  readonly after: ListedPrices | undefined;
}

/** Those whose costs change most come first; `total` counts all. */
export async function findAffectedCustomers(
  sql: Sql,
  { changed, removed }: CatalogueDifference,
): Promise<{ customers: AffectedCustomer[]; total: number }> {
  const affected = new Map<string, Affected>([
    ...changed.map(({ id, before, after }) => [id, { before, after }] as const),
    ...removed.map(({ id, before }) => [id, { before, after: undefined }] as const),
  ]);
  if (affected.size === 0) return { customers: [], total: 0 };
  const byAccount = Map.groupBy(await readUsualUsage(sql, [...affected.keys()]), ({ accountId }) => accountId);
  const customers = [...byAccount.values()]
    .map((rows) => ({ rows, costs: rows.map((row) => costsOf(row, affected)) }))
    .map(({ rows, costs }) => ({ rows, costs, sum: sumOf(costs) }))
    .sort((one, other) => compareSizes(other.sum, one.sum));
  return {
    customers: customers.slice(0, customersMax).map(({ rows, costs, sum }) => ({
      accountId: Number(rows[0]?.accountId),
      email: rows[0]?.email ?? null,
      ...render(sum),
      models: rows.map((row, index) => ({
        model: row.model,
        requests: Number(row.requests),
        removed: affected.get(row.model)?.after === undefined,
        ...render(costs[index]),
      })),
    })),
    total: customers.length,
  };
}

interface Costs {
  readonly before: PicoUsd;
  readonly after: PicoUsd;
}

/** Undefined where there is nothing to compare. */
function costsOf(row: UsageRow, affected: ReadonlyMap<string, Affected>): Costs | undefined {
  const { before, after } = affected.get(row.model) ?? {};
  if (before === undefined || after === undefined || !isSimple(before) || !isSimple(after)) return undefined;
  const counts = perUnit(({ name }) => Number(row[name]));
  return { before: costAt(counts, before), after: costAt(counts, after) };
}

const isSimple = ({ images, each, rates }: ListedPrices) =>
  images.length === 0 && rates.length === 0 && Object.keys(each).length === 0;

function costAt(counts: UnitCounts, { tokens }: ListedPrices): PicoUsd {
  return exactCostOf(
    tokenUnits.map(({ name, price }) => ({ count: countWithoutParts(counts, name), price: tokens[price] })),
  );
}

/** Undefined if no model can be compared. */
function sumOf(costs: readonly (Costs | undefined)[]): Costs | undefined {
  return costs.reduce((sum, cost) => {
    if (sum === undefined || cost === undefined) return sum ?? cost;
    return { before: (sum.before + cost.before) as PicoUsd, after: (sum.after + cost.after) as PicoUsd };
  }, undefined);
}

function compareSizes(one: Costs | undefined, other: Costs | undefined): number {
  const [first, second] = [sizeOf(one), sizeOf(other)];
  if (first === second) return 0;
  return first < second ? -1 : 1;
}

/** Customers of nothing but models that go, or images, come last. */
function sizeOf(costs: Costs | undefined): bigint {
  if (costs === undefined) return -1n;
  const difference = costDifference(costs.before, costs.after);
  return difference < 0n ? -difference : difference;
}

function render(costs: Costs | undefined): CostChange {
  if (costs === undefined) return { before: null, after: null, difference: null, percent: null };
  return {
    before: formatPicoUsd(costs.before),
    after: formatPicoUsd(costs.after),
    difference: formatPicoUsd(costDifference(costs.before, costs.after)),
    percent: percentChange(costs.before, costs.after) ?? null,
  };
}

function readUsualUsage(sql: Sql, models: readonly string[]): Promise<UsageRow[]> {
  const since = sql`(now() - ${usualDays} * interval '1 day')`;
  const local = sql`(${since} AT TIME ZONE 'UTC')`;
  const counted = sql(['requests', ...units.map(({ column }) => column)]);
  const lists = units.map(({ column }) => sql`, archived.${sql(column)}`);
  return sql<UsageRow[]>`
    SELECT account_id AS "accountId", model, sum(requests) AS requests,
      ${units.map(({ name, column }) => sql`sum(${sql(column)}) AS ${sql(name)},`)}
      (SELECT contact_email FROM organizations WHERE id = used.account_id) AS email
    FROM (
      SELECT account_id, model, ${counted} FROM usage_totals
      WHERE bucket_15m >= ${since} AND model = ANY(${[...models]})
      UNION ALL
      SELECT archived.account_id, models[model_number], total.requests ${units.map(({ column }) => sql`, total.${sql(column)}`)}
      FROM archived_totals AS archived
      CROSS JOIN LATERAL unnest(quarters, model_numbers, archived.requests ${lists})
        AS total (quarter, model_number, ${counted})
      WHERE models && ${[...models]}::text[] AND month >= date_trunc('month', ${local})
        AND month + last_quarter * interval '15 minutes' >= ${local}
        AND models[model_number] = ANY(${[...models]}) AND month + quarter * interval '15 minutes' >= ${local}
    ) AS used
    GROUP BY account_id, model ORDER BY account_id, model`;
}
