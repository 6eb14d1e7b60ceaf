/** Charges of months that are long past, as they were booked then. */
import type { Database } from '../../../admin/database/connect.ts';
import { applyCharges } from '../../../admin/ledger/charges/apply-charges.ts';
import type { Charge } from '../../../admin/ledger/charges/read-usage-entry.ts';
import { listMonths } from '../../../admin/ledger/months.ts';
import { readOpenMonths } from '../../../admin/ledger/seals/open-months.ts';
import { sealMonth } from '../../../admin/ledger/seals/seal-month.ts';
import { detailOf } from '../../harness/wallet/charge-detail.ts';
import { chargeOf } from './ledger.ts';

const parents = ['ledger_lines', 'usage_events', 'usage_requests'];

/** The version of a price of the model `m`, which receipts name. */
export async function makePrice({ sql }: Pick<Database, 'sql'>): Promise<number> {
  const [price] = await sql<{ version: string }[]>`
    INSERT INTO model_prices (model, markup, provider_prompt_pico, provider_cached_prompt_pico,
      provider_completion_pico, prompt_pico, cached_prompt_pico, completion_pico)
    VALUES ('m', 1000000, 1000, 1000, 1000, 1000, 1000, 1000) RETURNING version`;
  return Number(price?.version);
}

export interface PastCharges {
  readonly accountId: number;
  readonly priceVersion: number;
  readonly from: Date;
  readonly count: number;
  /** How many charges the wallet has numbered before. */
  readonly numbered: number;
  readonly everyMs?: number;
}

export function pastCharges({
  accountId,
  priceVersion,
  from,
  count,
  numbered,
  everyMs = 1_000,
}: PastCharges): Charge[] {
  return Array.from({ length: count }, (_, index) => {
    const chargedAt = new Date(from.getTime() + index * everyMs);
    const walletSeq = numbered + index + 1;
    return chargeOf(accountId, {
      ...{ requestId: Bun.randomUUIDv7('hex', chargedAt), chargedAt, walletSeq },
      walletSpentNano: BigInt(walletSeq) * 100n,
      // The key was moved to and fro.
      assignmentId: index % 3 === 0 ? 2 : null,
      unchargedNano: index % 5 === 4 ? 7n : 0n,
      detail: detailOf({
        ...{ priceVersion, promptTokens: 3, completionTokens: 5, startedAtMs: chargedAt.getTime() },
        ...(index % 5 === 0 && { cacheWriteTokens: 2, cacheWrite1hTokens: 1, pricedRequests: 1 }),
        ...(index % 5 === 1 && { characters: 4_096, cachedPromptTokens: 1, reasoningTokens: 2 }),
        ...(index % 5 === 2 && { audioSeconds: 61 }),
        ...(index % 5 === 3 && { searches: 1_203, webSearches: 2, estimated: true }),
        ...(index % 5 === 4 && { audioPromptTokens: 1, imagePromptTokens: 1, audioCompletionTokens: 2 }),
        dimensions: index % 4 === 0 ? { user: `user ${index % 7}`, 'metadata.team': 'search' } : null,
      }),
    });
  });
}

/** The first had an estimate before. Returns the ids of the requests, in order. */
export async function bookPast({ sql }: Pick<Database, 'sql'>, past: PastCharges): Promise<string[]> {
  const charges = pastCharges(past);
  await sql`
    INSERT INTO dimensions (account_id, name, active)
    VALUES (${past.accountId}, 'user', true), (${past.accountId}, 'metadata.team', true) ON CONFLICT DO NOTHING`;
  const [first] = charges;
  if (first !== undefined)
    await applyCharges(sql, [{ ...first, rank: 1, costNano: 40n, walletSeq: null, walletSpentNano: null }]);
  for (let start = 0; start < past.count; start += 500) await applyCharges(sql, charges.slice(start, start + 500));
  return charges.map(({ requestId }) => requestId);
}

/** Seals all months that ended before, oldest first, and returns their hashes. */
export async function sealBefore(
  { sql }: Pick<Database, 'sql'>,
  before: Date,
  rowsInBlock?: number,
): Promise<string[]> {
  const hashes: string[] = [];
  const { sealed = '' } = await readOpenMonths(sql);
  for (const month of await listMonths(sql, parents)) {
    if (month.month <= sealed || month.end > before) continue;
    hashes.push(await sealMonth({ sql, ...(rowsInBlock && { rowsInBlock }) }, month));
  }
  return hashes;
}

/** A payment of that time. */
export async function payPast(
  { sql }: Pick<Database, 'sql'>,
  { accountId, amountNano, at }: { accountId: number; amountNano: bigint; at: Date },
): Promise<void> {
  const nano = String(amountNano);
  await sql.begin(async (transaction) => {
    await transaction`
      WITH journal AS (INSERT INTO journals (type, reason) VALUES ('payment', 'a payment') RETURNING id)
      INSERT INTO ledger_lines (journal_id, book, account_id, amount_nano, type, description, created_at)
      SELECT id, 'cash', NULL::bigint, -${nano}::bigint, 'payment', 'a payment', ${at}::timestamptz FROM journal
      UNION ALL SELECT id, 'wallet', ${accountId}, ${nano}::bigint, 'payment', 'a payment', ${at}::timestamptz FROM journal`;
    await transaction`
      UPDATE accounts SET balance_nano = balance_nano + ${nano}::bigint, credited_nano = credited_nano + ${nano}::bigint,
        credit_seq = credit_seq + 1
      WHERE id = ${accountId}`;
  });
}
