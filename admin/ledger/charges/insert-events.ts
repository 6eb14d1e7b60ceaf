/** Inserts the immutable events of charges; compact ones are the lines of a journal as well. */
import type { TransactionSql } from 'postgres';
import { isLater, storedCount, type Unit, units } from '../../../shared/usage/billable-units.ts';
import { arrayLiteral, type Item } from '../../database/array-literal.ts';
import type { ValuesOfCharges } from './name-values.ts';
import type { Posting } from './plan-postings.ts';
import type { Charge } from './read-usage-entry.ts';

/** Events whose lines are inserted separately. */
export async function insertEvents(
  transaction: TransactionSql,
  postings: readonly Posting[],
  values: ValuesOfCharges,
): Promise<void> {
  await transaction`
    INSERT INTO usage_events (${columns(transaction, postings, values)}) ${rowsOf(transaction, postings, values)}`;
}

/**
 * Events that are lines: those that have booked something share a journal, which the gateway's revenue completes. Call it
 * with the accounts locked, so that the lines of each are numbered in the order in which they are committed.
 */
export async function insertCompactEvents(
  transaction: TransactionSql,
  postings: readonly Posting[],
  values: ValuesOfCharges,
): Promise<void> {
  const booked = arrayLiteral(postings.map(({ differenceNano }) => differenceNano));
  const revenueNano = postings.reduce((sum, { differenceNano }) => sum + differenceNano, 0n);
  const isAnyBooked = postings.some(({ differenceNano }) => differenceNano !== 0n);
  await transaction`
    WITH journal AS (
      INSERT INTO journals (type, reason) SELECT 'usage', 'inference' WHERE ${isAnyBooked} RETURNING id
    ), revenue AS (
      INSERT INTO ledger_lines (journal_id, type, book, amount_nano, description)
      SELECT id, 'usage', 'revenue', ${String(revenueNano)}::bigint, 'inference' FROM journal
    )
    INSERT INTO usage_events (${columns(transaction, postings, values)}, booked_nano, journal_id, line_id)
    SELECT event.*,
      CASE WHEN booked_nano <> 0 THEN journal.id END,
      CASE WHEN booked_nano <> 0 THEN nextval('ledger_lines_id_seq') END
    FROM (${rowsOf(transaction, postings, values)}, unnest(${booked}::bigint[]) AS booked_nano) AS event
    LEFT JOIN journal ON true`;
}

/** Values and repetitions are rare: without any, statements are those of before. */
function columns(transaction: TransactionSql, postings: readonly Posting[], values: ValuesOfCharges) {
  return transaction`
    request_id, rank, account_id, cost_nano, uncharged_nano, key_id, model, deployment, price_version,
    ${transaction(countedIn(postings).map(({ column }) => column))},
    variant, estimated, epoch, wallet_seq, wallet_spent_nano, started_at, charged_at, assignment_id
    ${values.size === 0 ? transaction`` : transaction`, dimension_values`}
    ${postings.some(repeats) ? transaction`, repeats` : transaction``}`;
}

/**
 * Columns of units that no charge of the batch has are left out, and null: those of tokens together, and those of other units. One
 * by one there would be many statements, and each connection keeps the plan of every one.
 */
function countedIn(postings: readonly Posting[]): Unit[] {
  const isCounted = (unit: Unit) =>
    postings.some(({ charge: { detail } }) => storedCount(unit, detail[unit.name]) !== null);
  const counted = new Set(units.filter((unit) => isLater(unit) && isCounted(unit)).map(({ unit }) => unit));
  return units.filter((unit) => !isLater(unit) || counted.has(unit.unit));
}

const repeats = ({ charge: { detail } }: Posting) => detail.repeats !== '';

/** Times are passed as numbers, which are exact to the microsecond. */
function rowsOf(transaction: TransactionSql, postings: readonly Posting[], values: ValuesOfCharges) {
  const of = (value: (charge: Charge) => Item) => arrayLiteral(postings.map(({ charge }) => value(charge)));
  return transaction`
    SELECT
      unnest(${of(({ requestId }) => requestId)}::uuid[]),
      unnest(${of(({ rank }) => rank)}::smallint[]),
      unnest(${of(({ accountId }) => accountId)}::bigint[]),
      unnest(${of(({ costNano }) => costNano)}::bigint[]),
      unnest(${of(({ unchargedNano }) => unchargedNano)}::bigint[]),
      unnest(${of(({ keyId }) => keyId)}::bigint[]),
      unnest(${of(({ detail }) => detail.model)}::text[]),
      unnest(${of(({ detail }) => detail.deployment)}::text[]),
      unnest(${of(({ detail }) => detail.priceVersion)}::bigint[]),
      ${countedIn(postings).map((unit) => transaction`unnest(${of(({ detail }) => storedCount(unit, detail[unit.name]))}::integer[]),`)}
      unnest(${of(({ detail }) => detail.variant)}::text[]),
      unnest(${of(({ detail }) => detail.estimated)}::boolean[]),
      unnest(${of(({ epoch }) => epoch)}::bigint[]),
      unnest(${of(({ walletSeq }) => walletSeq)}::bigint[]),
      unnest(${of(({ walletSpentNano }) => walletSpentNano)}::bigint[]),
      to_timestamp(unnest(${of(({ detail }) => detail.startedAtMs)}::float8[]) / 1000),
      to_timestamp(unnest(${of(({ chargedAt }) => chargedAt.getTime())}::float8[]) / 1000),
      unnest(${of(({ assignmentId }) => assignmentId)}::bigint[])
      ${values.size === 0 ? transaction`` : transaction`, ${unnestLists(transaction, postings, values)}`}
      ${postings.some(repeats) ? transaction`, unnest(${of(({ detail }) => detail.repeats || null)}::uuid[])` : transaction``}`;
}

/** Lists of different lengths are no array of two dimensions, so each is a text. */
function unnestLists(transaction: TransactionSql, postings: readonly Posting[], values: ValuesOfCharges) {
  const lists = postings.map(({ charge }) => {
    const ids = values.get(charge);
    return ids === undefined ? null : arrayLiteral(ids);
  });
  return transaction`unnest(${arrayLiteral(lists)}::text[])::bigint[]`;
}
