/**
 * Books a batch of charges in one transaction: heads, immutable events, one journal whose lines sum to zero, balances.
 *
 * Several batches may run concurrently, even with the same charges. The lock order keeps them apart: request heads by
 * request id (claim-heads.ts), then accounts by id. Without the heads four workers charged twice; with accounts locked
 * in the order of the lines they deadlocked.
 */
import type { Sql, TransactionSql } from 'postgres';
import { counted } from '../../../shared/counted.ts';
import { units } from '../../../shared/usage/billable-units.ts';
import type { ChargeDetail } from '../../../shared/usage/charge-detail.ts';
import { arrayLiteral, type Item } from '../../database/array-literal.ts';
import type { AlertTerms } from '../../notifications/alert-sql.ts';
import { type AccountChange, writeAlerts } from '../../notifications/write-alerts.ts';
import { addToTotals } from './add-to-totals.ts';
import { claimHeads } from './claim-heads.ts';
import { markDueTopUps } from './mark-due-top-ups.ts';
import type { Posting } from './plan-postings.ts';
import type { Charge } from './read-usage-entry.ts';
import { recoveredModel } from './recovered-charge.ts';

export interface AppliedBatch {
  /** Charges that changed the ledger. */
  readonly applied: number;
  /** Charges that the ledger already had. */
  readonly duplicates: number;
  /** Charges of accounts that do not exist, or of a request that is archived or belongs to another account. */
  readonly unknown: readonly Charge[];
}

/** Without terms no alerts are written. */
export async function applyCharges(sql: Sql, charges: readonly Charge[], terms?: AlertTerms): Promise<AppliedBatch> {
  return sql.begin(async (transaction) => {
    const { plan, unknown } = await claimHeads(transaction, charges);
    const { postings, differenceByAccount } = plan;
    if (postings.length > 0) {
      await insertEvents(transaction, postings);
      await addToTotals(transaction, postings);
    }
    const changed = postings.filter((posting) => posting.differenceNano !== 0n);
    if (changed.length > 0) {
      await updateAccounts(transaction, differenceByAccount);
      if (terms !== undefined) {
        await writeAlerts(transaction, changesOf(differenceByAccount), terms);
        await markDueTopUps(transaction, [...differenceByAccount.keys()], terms.at);
      }
      await insertJournal(transaction, changed);
    }
    return { applied: postings.length, duplicates: charges.length - unknown.length - postings.length, unknown };
  });
}

async function insertEvents(transaction: TransactionSql, postings: readonly Posting[]): Promise<void> {
  const of = (value: (charge: Charge) => Item) => arrayLiteral(postings.map(({ charge }) => value(charge)));
  await transaction`
    INSERT INTO usage_events (
      request_id, rank, account_id, cost_nano, uncharged_nano, key_id, model, deployment, price_version,
      ${transaction(units.map(({ column }) => column))},
      variant, estimated, epoch, wallet_seq, wallet_spent_nano, started_at, charged_at)
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
      ${units.map(({ name }) => transaction`unnest(${of(({ detail }) => detail[name])}::integer[]),`)}
      unnest(${of(({ detail }) => detail.variant)}::text[]),
      unnest(${of(({ detail }) => detail.estimated)}::boolean[]),
      unnest(${of(({ epoch }) => epoch)}::bigint[]),
      unnest(${of(({ walletSeq }) => walletSeq)}::bigint[]),
      unnest(${of(({ walletSpentNano }) => walletSpentNano)}::bigint[]),
      unnest(${of(({ detail }) => new Date(detail.startedAtMs))}::timestamptz[]),
      unnest(${of(({ chargedAt }) => chargedAt)}::timestamptz[])`;
}

async function updateAccounts(transaction: TransactionSql, differences: ReadonlyMap<number, bigint>): Promise<void> {
  const ids = arrayLiteral([...differences.keys()]);
  await transaction`SELECT FROM accounts WHERE id = ANY(${ids}::bigint[]) ORDER BY id FOR NO KEY UPDATE`;
  await transaction`
    UPDATE accounts SET
      balance_nano = accounts.balance_nano - new.difference,
      spent_nano = accounts.spent_nano + new.difference
    FROM unnest(${ids}::bigint[], ${arrayLiteral([...differences.values()])}::bigint[]) AS new (id, difference)
    WHERE accounts.id = new.id`;
}

function changesOf(differences: ReadonlyMap<number, bigint>): AccountChange[] {
  return Array.from(differences, ([accountId, chargedNano]) => ({
    accountId,
    chargedNano,
    formerThresholdKopecks: null,
  }));
}

/** One line per request, and one for the gateway's revenue, so that they sum to zero. */
async function insertJournal(transaction: TransactionSql, postings: readonly Posting[]): Promise<void> {
  const of = (value: (posting: Posting) => Item) => arrayLiteral(postings.map(value));
  const revenueNano = postings.reduce((sum, { differenceNano }) => sum + differenceNano, 0n);
  await transaction`
    WITH journal AS (INSERT INTO journals (type, reason) VALUES ('usage', 'inference') RETURNING id)
    INSERT INTO ledger_lines
      (journal_id, type, book, account_id, amount_nano, description, request_id, model, created_at)
    SELECT journal.id, 'usage', 'wallet',
      unnest(${of(({ charge }) => charge.accountId)}::bigint[]),
      unnest(${of(({ differenceNano }) => -differenceNano)}::bigint[]),
      unnest(${of(({ charge }) => describeCharge(charge))}::text[]),
      unnest(${of(({ charge }) => charge.requestId)}::uuid[]),
      unnest(${of(({ charge }) => charge.detail.model)}::text[]),
      unnest(${of(({ charge }) => charge.chargedAt)}::timestamptz[])
    FROM journal
    UNION ALL
    SELECT journal.id, 'usage', 'revenue', NULL, ${String(revenueNano)}::bigint, 'inference', NULL, NULL, now()
    FROM journal`;
}

function describeCharge({ detail, rank }: Charge): string {
  if (detail.model === recoveredModel) return 'requests whose receipts were lost when the database was restored';
  const note = rank === 1 ? ' (estimated, may be corrected)' : detail.estimated ? ' (estimated)' : '';
  return `${detail.model}: ${describeUnits(detail)}${note}`;
}

function describeUnits({ images, variant, promptTokens, completionTokens }: ChargeDetail): string {
  if (images > 0) return `${counted(images, 'image')} (${variant})`;
  return `${promptTokens} prompt + ${completionTokens} completion tokens`;
}
