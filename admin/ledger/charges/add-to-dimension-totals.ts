/**
 * Adds a batch of booked charges to the totals of the values that their requests named. What a value has is part of what its
 * account has in the same quarter of an hour, assignment and model, so what is left is that of no value.
 *
 * A final charge takes its estimate along: it counts as if it had been estimated with the values of the final charge. The
 * difference counts where it does for the account.
 */
import type { TransactionSql } from 'postgres';
import {
  type BillableUnit,
  countsOf,
  noUnits,
  perUnit,
  storedCount,
  type UnitCounts,
  units,
} from '../../../shared/usage/billable-units.ts';
import { arrayLiteral, type Item } from '../../database/array-literal.ts';
import { quarterMs } from '../times.ts';
import type { ValuesOfCharges } from './name-values.ts';
import type { Posting } from './plan-postings.ts';
import type { Charge } from './read-usage-entry.ts';

/** What was booked of a request by its estimate. */
export interface Estimate extends Readonly<Record<BillableUnit, number | null>> {
  readonly costNano: bigint;
  readonly assignmentId: number;
  readonly model: string;
  readonly chargedAt: Date;
  readonly valueIds: readonly number[];
}

/** The start of the quarter of an hour. */
export const bucketAtMsOf = (time: Date): number => Math.floor(time.getTime() / quarterMs) * quarterMs;

/** The key's own id if it had never been moved. */
export const assignmentOf = ({ assignmentId, keyId }: Charge): number => assignmentId ?? keyId;

interface Place {
  readonly valueId: number;
  readonly bucketAtMs: number;
  readonly assignmentId: number;
  readonly model: string;
}

interface Change {
  readonly requests: number;
  readonly counts: UnitCounts;
  readonly costNano: bigint;
}

interface Total extends Place {
  requests: number;
  readonly counts: Record<BillableUnit, number>;
  costNano: bigint;
}

interface Attributed {
  readonly postings: readonly Posting[];
  readonly values: ValuesOfCharges;
  /** By request. */
  readonly estimates: ReadonlyMap<string, Estimate>;
}

export async function addToDimensionTotals(
  transaction: TransactionSql,
  { postings, values, estimates }: Attributed,
): Promise<void> {
  const totals = new Map<string, Total>();
  for (const { charge, differenceNano, earlierRank } of postings) {
    const estimate = earlierRank === 0 ? undefined : estimates.get(charge.requestId);
    const valueIds = values.get(charge) ?? [];
    if (estimate !== undefined) move(totals, estimate, valueIds);
    if (valueIds.length === 0) continue;
    const change = {
      requests: estimate === undefined ? 1 : 0,
      counts: perUnit(({ name }) => charge.detail[name] - (estimate?.[name] ?? 0)),
      costNano: differenceNano,
    };
    const place = {
      bucketAtMs: bucketAtMsOf(charge.chargedAt),
      assignmentId: assignmentOf(charge),
      model: charge.detail.model,
    };
    for (const valueId of valueIds) add(totals, { ...place, valueId }, change);
  }
  if (totals.size > 0) await write(transaction, totals);
}

/** Takes an estimate from the values that it had to those of the final charge. */
function move(totals: Map<string, Total>, estimate: Estimate, valueIds: readonly number[]): void {
  const { assignmentId, model, costNano } = estimate;
  const place = { bucketAtMs: bucketAtMsOf(estimate.chargedAt), assignmentId, model };
  const counts = countsOf(estimate);
  const negative = { requests: -1, counts: perUnit(({ name }) => -counts[name]), costNano: -costNano };
  const [before, after] = [new Set(estimate.valueIds), new Set(valueIds)];
  for (const valueId of before.difference(after)) add(totals, { ...place, valueId }, negative);
  for (const valueId of after.difference(before)) add(totals, { ...place, valueId }, { requests: 1, counts, costNano });
}

function add(totals: Map<string, Total>, place: Place, change: Change): void {
  const { valueId, bucketAtMs, assignmentId, model } = place;
  const key = `${valueId} ${bucketAtMs} ${assignmentId} ${model}`;
  const total = totals.get(key) ?? { ...place, requests: 0, counts: { ...noUnits }, costNano: 0n };
  totals.set(key, total);
  total.requests += change.requests;
  for (const { name } of units) total.counts[name] += change.counts[name];
  total.costNano += change.costNano;
}

/** A value that was erased in the meantime has no totals. All transactions use the same order, so none wait for each other. */
async function write(transaction: TransactionSql, totals: ReadonlyMap<string, Total>): Promise<void> {
  const rows = [...totals.entries()].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, total]) => total);
  const of = (value: (total: Total) => Item) => arrayLiteral(rows.map(value));
  await transaction`
    INSERT INTO dimension_totals AS total (
      dimension_id, bucket_15m, value_id, key_id, model, requests, ${transaction(units.map(({ column }) => column))},
      cost_nano)
    SELECT dimension_values.dimension_id, bucket, value_id, assignment_id, model, requests,
      ${units.map(({ column }) => transaction`new.${transaction(column)},`)} new.cost_nano
    FROM (SELECT
      unnest(${arrayLiteral([...rows.keys()])}::int[]) AS place,
      unnest(${of(({ bucketAtMs }) => new Date(bucketAtMs))}::timestamptz[]) AS bucket,
      unnest(${of(({ valueId }) => valueId)}::bigint[]) AS value_id,
      unnest(${of(({ assignmentId }) => assignmentId)}::bigint[]) AS assignment_id,
      unnest(${of(({ model }) => model)}::text[]) AS model,
      unnest(${of(({ requests }) => requests)}::bigint[]) AS requests,
      ${units.map((unit) => transaction`unnest(${of(({ counts }) => storedCount(unit, counts[unit.name]))}::bigint[]) AS ${transaction(unit.column)},`)}
      unnest(${of(({ costNano }) => costNano)}::bigint[]) AS cost_nano
    ) AS new JOIN dimension_values ON dimension_values.id = value_id
    ORDER BY place
    ON CONFLICT (dimension_id, bucket_15m, value_id, key_id, model) DO UPDATE SET
      requests = total.requests + excluded.requests,
      ${addUp(transaction)}
      cost_nano = total.cost_nano + excluded.cost_nano`;
}

/** The counts of a row that there is already, `total`, with those of the new one. */
export function addUp(transaction: TransactionSql) {
  return units.map(({ column, storesCount }) => {
    const name = transaction(column);
    if (storesCount === 'always') return transaction`${name} = total.${name} + excluded.${name},`;
    return transaction`${name} = nullif(coalesce(total.${name}, 0) + coalesce(excluded.${name}, 0), 0),`;
  });
}
