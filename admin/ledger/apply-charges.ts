/**
 * Books a batch of charges in one transaction: heads, immutable events, one journal whose lines sum to zero, balances.
 *
 * Several of these may run at once, also on the same charges. The order of the locks is what keeps them apart: request
 * heads by request id, then accounts by id, then the lines. Without the heads four workers charged twice; with the
 * accounts locked after the lines (whose foreign key locks them too) they ran into deadlocks.
 */
import type { Sql, TransactionSql } from 'postgres';
import { type Head, type Posting, type PostingPlan, planPostings } from './plan-postings.ts';
import type { Charge } from './read-usage-entry.ts';

export interface AppliedBatch {
  /** Charges that changed the ledger. */
  readonly applied: number;
  /** Charges that the ledger had already. */
  readonly duplicates: number;
  /** Charges of accounts that do not exist. */
  readonly unknown: readonly Charge[];
}

export async function applyCharges(sql: Sql, charges: readonly Charge[]): Promise<AppliedBatch> {
  return sql.begin(async (transaction) => {
    const { known, unknown } = await splitByAccount(transaction, charges);
    const plan = planPostings(known, await lockHeads(transaction, known));
    if (plan.postings.length > 0) await book(transaction, plan);
    return { applied: plan.postings.length, duplicates: known.length - plan.postings.length, unknown };
  });
}

async function splitByAccount(transaction: TransactionSql, charges: readonly Charge[]) {
  const ids = [...new Set(charges.map((charge) => charge.accountId))];
  const rows = await transaction<{ id: string }[]>`SELECT id FROM accounts WHERE id = ANY(${ids}::bigint[])`;
  const existing = new Set(rows.map((row) => Number(row.id)));
  return {
    known: charges.filter((charge) => existing.has(charge.accountId)),
    unknown: charges.filter((charge) => !existing.has(charge.accountId)),
  };
}

async function lockHeads(transaction: TransactionSql, charges: readonly Charge[]): Promise<Map<string, Head>> {
  const accountOf = new Map(charges.map((charge) => [charge.requestId, charge.accountId]));
  const requestIds = [...accountOf.keys()].sort();
  await transaction`
    INSERT INTO usage_requests (request_id, account_id, rank, charged_nano)
    SELECT request_id, account_id, 0, 0
    FROM unnest(${requestIds}::uuid[], ${requestIds.map((id) => accountOf.get(id) ?? 0)}::bigint[])
      AS new (request_id, account_id)
    ORDER BY request_id
    ON CONFLICT DO NOTHING`;
  const rows = await transaction<{ request_id: string; rank: number; charged_nano: string }[]>`
    SELECT request_id, rank, charged_nano FROM usage_requests
    WHERE request_id = ANY(${requestIds}::uuid[]) ORDER BY request_id FOR NO KEY UPDATE`;
  return new Map(rows.map((row) => [row.request_id, { rank: row.rank, chargedNano: BigInt(row.charged_nano) }]));
}

async function book(transaction: TransactionSql, plan: PostingPlan): Promise<void> {
  await insertEvents(transaction, plan.postings);
  await updateHeads(transaction, plan.heads);
  const changed = plan.postings.filter((posting) => posting.differenceNano !== 0n);
  if (changed.length === 0) return;
  await updateAccounts(transaction, plan.differenceByAccount);
  await insertJournal(transaction, changed);
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

async function updateHeads(transaction: TransactionSql, heads: ReadonlyMap<string, Head>): Promise<void> {
  const values = [...heads.values()];
  await transaction`
    UPDATE usage_requests SET rank = new.rank, charged_nano = new.charged_nano
    FROM unnest(
      ${[...heads.keys()]}::uuid[],
      ${values.map((head) => head.rank)}::smallint[],
      ${values.map((head) => String(head.chargedNano))}::bigint[]
    ) AS new (request_id, rank, charged_nano)
    WHERE usage_requests.request_id = new.request_id`;
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
  const [journal] = await transaction<{ id: string }[]>`
    INSERT INTO journals (type, reason) VALUES ('usage', 'inference') RETURNING id`;
  if (journal === undefined) throw new Error('an insert returned no journal');
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
    INSERT INTO ledger_lines
      (journal_id, type, book, account_id, amount_nano, description, request_id, model, created_at)
    SELECT ${journal.id}, 'usage', book, account_id, amount_nano, description, request_id, model,
      coalesce(created_at, now())
    FROM jsonb_to_recordset(${transaction.json([...lines, revenue])}) AS line (
      book text, account_id bigint, amount_nano bigint, description text, request_id uuid, model text,
      created_at timestamptz)`;
}

function describeCharge({ detail, rank }: Charge): string {
  const tokens = `${detail.promptTokens} prompt + ${detail.completionTokens} completion tokens`;
  const note = rank === 1 ? ' (estimated, may be corrected)' : detail.estimated ? ' (estimated)' : '';
  return `${detail.model}: ${tokens}${note}`;
}
