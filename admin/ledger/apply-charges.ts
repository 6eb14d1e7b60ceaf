/**
 * Books a batch of charges in one transaction: heads, immutable events, one journal whose lines sum to zero, balances.
 *
 * Several of these may run at once, also on the same charges. The order of the locks is what keeps them apart: request
 * heads by request id (claim-heads.ts), then accounts by id. Without the heads four workers charged twice; with
 * accounts locked in the order of the lines they ran into deadlocks.
 */
import type { Sql, TransactionSql } from 'postgres';
import type { AlertTerms } from '../notifications/alert-terms.ts';
import { writeAlerts } from '../notifications/write-alerts.ts';
import { addToTotals } from './add-to-totals.ts';
import { claimHeads } from './claim-heads.ts';
import type { Posting } from './plan-postings.ts';
import type { Charge } from './read-usage-entry.ts';

export interface AppliedBatch {
  /** Charges that changed the ledger. */
  readonly applied: number;
  /** Charges that the ledger had already. */
  readonly duplicates: number;
  /** Charges of accounts that do not exist, or of a request that belongs to another account. */
  readonly unknown: readonly Charge[];
}

/** Without terms nobody is alerted. */
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
      if (terms !== undefined) await writeAlerts(transaction, differenceByAccount, terms);
      await insertJournal(transaction, changed);
    }
    return { applied: postings.length, duplicates: charges.length - unknown.length - postings.length, unknown };
  });
}

async function insertEvents(transaction: TransactionSql, postings: readonly Posting[]): Promise<void> {
  const rows = postings.map(({ charge }) => ({
    request_id: charge.requestId,
    rank: charge.rank,
    account_id: charge.accountId,
    cost_nano: String(charge.costNano),
    uncharged_nano: String(charge.unchargedNano),
    key_id: charge.keyId,
    model: charge.detail.model,
    deployment: charge.detail.deployment,
    price_version: charge.detail.priceVersion,
    prompt_tokens: charge.detail.promptTokens,
    cached_prompt_tokens: charge.detail.cachedPromptTokens,
    cache_write_tokens: charge.detail.cacheWriteTokens,
    completion_tokens: charge.detail.completionTokens,
    reasoning_tokens: charge.detail.reasoningTokens,
    estimated: charge.detail.estimated,
    epoch: charge.epoch,
    wallet_seq: charge.walletSeq,
    wallet_spent_nano: charge.walletSpentNano === null ? null : String(charge.walletSpentNano),
    started_at: new Date(charge.detail.startedAtMs).toISOString(),
    charged_at: charge.chargedAt.toISOString(),
  }));
  await transaction`
    INSERT INTO usage_events
    SELECT * FROM jsonb_populate_recordset(NULL::usage_events, ${transaction.json(rows)})`;
}

async function updateAccounts(transaction: TransactionSql, differences: ReadonlyMap<number, bigint>): Promise<void> {
  const ids = [...differences.keys()];
  await transaction`SELECT FROM accounts WHERE id = ANY(${ids}::bigint[]) ORDER BY id FOR NO KEY UPDATE`;
  await transaction`
    UPDATE accounts SET
      balance_nano = accounts.balance_nano - new.difference,
      spent_nano = accounts.spent_nano + new.difference
    FROM unnest(${ids}::bigint[], ${[...differences.values()].map(String)}::bigint[]) AS new (id, difference)
    WHERE accounts.id = new.id`;
}

/** One line for each request, and one for the gateway's revenue, so that they sum to zero. */
async function insertJournal(transaction: TransactionSql, postings: readonly Posting[]): Promise<void> {
  const lines = postings.map(({ charge, differenceNano }) => ({
    book: 'wallet',
    account_id: charge.accountId,
    amount_nano: String(-differenceNano),
    description: describeCharge(charge),
    request_id: charge.requestId,
    model: charge.detail.model,
    created_at: charge.chargedAt.toISOString(),
  }));
  const revenueNano = postings.reduce((sum, { differenceNano }) => sum + differenceNano, 0n);
  const revenue = { book: 'revenue', amount_nano: String(revenueNano), description: 'inference' };
  await transaction`
    WITH journal AS (INSERT INTO journals (type, reason) VALUES ('usage', 'inference') RETURNING id)
    INSERT INTO ledger_lines
      (journal_id, type, book, account_id, amount_nano, description, request_id, model, created_at)
    SELECT journal.id, 'usage', book, account_id, amount_nano, description, request_id, model,
      coalesce(created_at, now())
    FROM journal, jsonb_to_recordset(${transaction.json([...lines, revenue])}) AS line (
      book text, account_id bigint, amount_nano bigint, description text, request_id uuid, model text,
      created_at timestamptz)`;
}

function describeCharge({ detail, rank }: Charge): string {
  const tokens = `${detail.promptTokens} prompt + ${detail.completionTokens} completion tokens`;
  const note = rank === 1 ? ' (estimated, may be corrected)' : detail.estimated ? ' (estimated)' : '';
  return `${detail.model}: ${tokens}${note}`;
}
