/**
 * Adds a batch of booked charges to the totals per quarter of an hour, assignment of a key and model. A final charge that follows an
 * estimate adds the difference, and counts no further request.
 */
import type { TransactionSql } from 'postgres';
import { type BillableUnit, noUnits, storedCount, units } from '../../../shared/usage/billable-units.ts';
import { arrayLiteral, type Item } from '../../database/array-literal.ts';
import { addToDimensionTotals, addUp, assignmentOf, bucketAtMsOf, type Estimate } from './add-to-dimension-totals.ts';
import type { ValuesOfCharges } from './name-values.ts';
import type { Posting } from './plan-postings.ts';

const finalRank = 2;

interface Total {
  readonly accountId: number;
  readonly bucket: Date;
  /** The key's own id if it had never been moved. */
  readonly assignmentId: number;
  readonly model: string;
  requests: number;
  readonly counts: Record<BillableUnit, number>;
  costNano: bigint;
  lastChargedAt: Date;
}

type EstimateRow = Pick<Estimate, 'model' | 'chargedAt' | BillableUnit> & {
  readonly costNano: string;
  readonly assignmentId: string;
  readonly valueIds: readonly string[] | null;
};

/** Call after the events were inserted. */
export async function addToTotals(
  transaction: TransactionSql,
  postings: readonly Posting[],
  values: ValuesOfCharges,
): Promise<void> {
  const estimates = await readEstimates(transaction, postings);
  const totals = new Map<string, Total>();
  for (const posting of postings) add(totals, posting, estimates.get(posting.charge.requestId));
  // All transactions use the same order, so that two of them cannot deadlock.
  const rows = [...totals.entries()].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, total]) => total);
  const of = (value: (total: Total) => Item) => arrayLiteral(rows.map(value));
  await transaction`
    INSERT INTO usage_totals AS total (
      account_id, bucket_15m, key_id, model, requests, ${transaction(units.map(({ column }) => column))},
      cost_nano, last_charged_at)
    SELECT
      unnest(${of(({ accountId }) => accountId)}::bigint[]),
      unnest(${of(({ bucket }) => bucket)}::timestamptz[]),
      unnest(${of(({ assignmentId }) => assignmentId)}::bigint[]),
      unnest(${of(({ model }) => model)}::text[]),
      unnest(${of(({ requests }) => requests)}::bigint[]),
      ${units.map((unit) => transaction`unnest(${of(({ counts }) => storedCount(unit, counts[unit.name]))}::bigint[]),`)}
      unnest(${of(({ costNano }) => costNano)}::bigint[]),
      unnest(${of(({ lastChargedAt }) => lastChargedAt)}::timestamptz[])
    ON CONFLICT (account_id, bucket_15m, key_id, model) DO UPDATE SET
      requests = total.requests + excluded.requests,
      ${addUp(transaction)}
      cost_nano = total.cost_nano + excluded.cost_nano,
      last_charged_at = greatest(total.last_charged_at, excluded.last_charged_at)`;
  await addToDimensionTotals(transaction, { postings, values, estimates });
}

/** The estimates that final charges of this batch replace, by request. */
async function readEstimates(
  transaction: TransactionSql,
  postings: readonly Posting[],
): Promise<ReadonlyMap<string, Estimate>> {
  const ids = postings
    .filter(({ charge, earlierRank }) => charge.rank === finalRank && earlierRank > 0)
    .map(({ charge }) => charge.requestId);
  if (ids.length === 0) return new Map();
  const rows = await transaction<({ requestId: string } & EstimateRow)[]>`
    SELECT ${units.map(({ name, column }) => transaction`${transaction(column)} AS ${transaction(name)},`)}
      request_id AS "requestId", cost_nano AS "costNano", coalesce(assignment_id, key_id) AS "assignmentId", model,
      charged_at AS "chargedAt", dimension_values AS "valueIds"
    FROM usage_events WHERE request_id = ANY(${ids}::uuid[]) AND rank < ${finalRank}`;
  return new Map(
    rows.map(({ requestId, costNano, assignmentId, valueIds, ...row }) => [
      requestId,
      {
        ...row,
        costNano: BigInt(costNano),
        assignmentId: Number(assignmentId),
        valueIds: (valueIds ?? []).map(Number),
      },
    ]),
  );
}

function add(totals: Map<string, Total>, { charge, differenceNano }: Posting, estimate: Estimate | undefined): void {
  const { accountId, detail, chargedAt } = charge;
  const assignmentId = assignmentOf(charge);
  const bucketAtMs = bucketAtMsOf(chargedAt);
  const place = `${accountId} ${bucketAtMs} ${assignmentId} ${detail.model}`;
  let total = totals.get(place);
  if (total === undefined) {
    total = emptyTotal({ accountId, bucket: new Date(bucketAtMs), assignmentId, model: detail.model });
    totals.set(place, total);
  }
  const replaced = charge.rank === finalRank ? estimate : undefined;
  total.requests += replaced === undefined ? 1 : 0;
  for (const { name } of units) total.counts[name] += detail[name] - (replaced?.[name] ?? 0);
  total.costNano += differenceNano;
  if (chargedAt > total.lastChargedAt) total.lastChargedAt = chargedAt;
}

function emptyTotal(place: Pick<Total, 'accountId' | 'bucket' | 'assignmentId' | 'model'>): Total {
  return {
    ...place,
    requests: 0,
    counts: { ...noUnits },
    costNano: 0n,
    lastChargedAt: place.bucket,
  };
}
