/**
 * Adds a batch of booked charges to the totals per quarter of an hour, key and model. A final charge that follows an
 * estimate adds the difference, and counts no further request.
 */
import type { TransactionSql } from 'postgres';
import type { ChargeDetail } from '../../../shared/usage/charge-detail.ts';
import { arrayLiteral, type Item } from './array-literal.ts';
import type { Posting } from './plan-postings.ts';

const bucketMs = 15 * 60 * 1000;
const finalRank = 2;

type TokenCounts = Pick<
  ChargeDetail,
  'promptTokens' | 'cachedPromptTokens' | 'cacheWriteTokens' | 'completionTokens' | 'reasoningTokens'
>;

interface Total {
  readonly accountId: number;
  readonly bucket: Date;
  readonly keyId: number;
  readonly model: string;
  requests: number;
  promptTokens: number;
  cachedPromptTokens: number;
  cacheWriteTokens: number;
  completionTokens: number;
  reasoningTokens: number;
  costNano: bigint;
  lastChargedAt: Date;
}

/** Call after the events were inserted. */
export async function addToTotals(transaction: TransactionSql, postings: readonly Posting[]): Promise<void> {
  const estimates = await readEstimates(transaction, postings);
  const totals = new Map<string, Total>();
  for (const posting of postings) add(totals, posting, estimates.get(posting.charge.requestId));
  // All transactions use the same order, so that two of them cannot deadlock.
  const rows = [...totals.entries()].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, total]) => total);
  const of = (value: (total: Total) => Item) => arrayLiteral(rows.map(value));
  await transaction`
    INSERT INTO usage_totals AS total (
      account_id, bucket_15m, key_id, model, requests, prompt_tokens, cached_prompt_tokens, cache_write_tokens,
      completion_tokens, reasoning_tokens, cost_nano, last_charged_at)
    SELECT
      unnest(${of(({ accountId }) => accountId)}::bigint[]),
      unnest(${of(({ bucket }) => bucket)}::timestamptz[]),
      unnest(${of(({ keyId }) => keyId)}::bigint[]),
      unnest(${of(({ model }) => model)}::text[]),
      unnest(${of(({ requests }) => requests)}::bigint[]),
      unnest(${of(({ promptTokens }) => promptTokens)}::bigint[]),
      unnest(${of(({ cachedPromptTokens }) => cachedPromptTokens)}::bigint[]),
      unnest(${of(({ cacheWriteTokens }) => cacheWriteTokens)}::bigint[]),
      unnest(${of(({ completionTokens }) => completionTokens)}::bigint[]),
      unnest(${of(({ reasoningTokens }) => reasoningTokens)}::bigint[]),
      unnest(${of(({ costNano }) => costNano)}::bigint[]),
      unnest(${of(({ lastChargedAt }) => lastChargedAt)}::timestamptz[])
    ON CONFLICT (account_id, bucket_15m, key_id, model) DO UPDATE SET
      requests = total.requests + excluded.requests,
      prompt_tokens = total.prompt_tokens + excluded.prompt_tokens,
      cached_prompt_tokens = total.cached_prompt_tokens + excluded.cached_prompt_tokens,
      cache_write_tokens = total.cache_write_tokens + excluded.cache_write_tokens,
      completion_tokens = total.completion_tokens + excluded.completion_tokens,
      reasoning_tokens = total.reasoning_tokens + excluded.reasoning_tokens,
      cost_nano = total.cost_nano + excluded.cost_nano,
      last_charged_at = greatest(total.last_charged_at, excluded.last_charged_at)`;
}

/** The tokens of the estimates that final charges of this batch replace. */
async function readEstimates(
  transaction: TransactionSql,
  postings: readonly Posting[],
): Promise<ReadonlyMap<string, TokenCounts>> {
  const ids = postings
    .filter(({ charge, earlierRank }) => charge.rank === finalRank && earlierRank > 0)
    .map(({ charge }) => charge.requestId);
  if (ids.length === 0) return new Map();
  const rows = await transaction<({ requestId: string } & TokenCounts)[]>`
    SELECT request_id AS "requestId", prompt_tokens AS "promptTokens", cached_prompt_tokens AS "cachedPromptTokens",
      cache_write_tokens AS "cacheWriteTokens", completion_tokens AS "completionTokens",
      reasoning_tokens AS "reasoningTokens"
    FROM usage_events WHERE request_id = ANY(${ids}::uuid[]) AND rank < ${finalRank}`;
  return new Map(rows.map((row) => [row.requestId, row]));
}

function add(totals: Map<string, Total>, { charge, differenceNano }: Posting, estimate: TokenCounts | undefined): void {
  const { accountId, keyId, detail, chargedAt } = charge;
  const bucketAtMs = Math.floor(chargedAt.getTime() / bucketMs) * bucketMs;
  const place = `${accountId} ${bucketAtMs} ${keyId} ${detail.model}`;
  let total = totals.get(place);
  if (total === undefined) {
    total = emptyTotal({ accountId, bucket: new Date(bucketAtMs), keyId, model: detail.model });
    totals.set(place, total);
  }
  const replaced = charge.rank === finalRank ? estimate : undefined;
  total.requests += replaced === undefined ? 1 : 0;
  total.promptTokens += detail.promptTokens - (replaced?.promptTokens ?? 0);
  total.cachedPromptTokens += detail.cachedPromptTokens - (replaced?.cachedPromptTokens ?? 0);
  total.cacheWriteTokens += detail.cacheWriteTokens - (replaced?.cacheWriteTokens ?? 0);
  total.completionTokens += detail.completionTokens - (replaced?.completionTokens ?? 0);
  total.reasoningTokens += detail.reasoningTokens - (replaced?.reasoningTokens ?? 0);
  total.costNano += differenceNano;
  if (chargedAt > total.lastChargedAt) total.lastChargedAt = chargedAt;
}

function emptyTotal(place: Pick<Total, 'accountId' | 'bucket' | 'keyId' | 'model'>): Total {
  return {
    ...place,
    requests: 0,
    promptTokens: 0,
    cachedPromptTokens: 0,
    cacheWriteTokens: 0,
    completionTokens: 0,
    reasoningTokens: 0,
    costNano: 0n,
    lastChargedAt: place.bucket,
  };
}
