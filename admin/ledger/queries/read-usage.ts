/**
 * An account's usage by day in any time zone, by model and by key, from the totals that are kept as charges are booked.
 * They are per quarter of an hour, which is how days of every time zone can be added up.
 */
import type { Sql } from 'postgres';
import { type NanoUsd, nanoUsd } from '../../../shared/money.ts';

export const usageGroupings = ['day', 'model', 'key'] as const;
export type UsageGrouping = (typeof usageGroupings)[number];

export interface UsageQuery {
  readonly accountId: number;
  /** Both at the start of a quarter of an hour. */
  readonly from: Date;
  /** Exclusive. */
  readonly to: Date;
  /** A name that `findZone` has accepted. */
  readonly timeZone: string;
  readonly groupBy: ReadonlySet<UsageGrouping>;
  readonly rowsMax: number;
}

export interface UsageSum {
  /** `2030-01-31`; null if usage is not grouped by day. The same holds for the other two. */
  readonly day: string | null;
  readonly model: string | null;
  readonly keyId: number | null;
  readonly requests: number;
  readonly promptTokens: number;
  readonly cachedPromptTokens: number;
  readonly cacheWriteTokens: number;
  readonly completionTokens: number;
  readonly reasoningTokens: number;
  readonly costNano: NanoUsd;
}

type Row = { readonly [Field in keyof UsageSum]: string | null };

/** Ordered by day, model and key. */
export async function readUsage(sql: Sql, query: UsageQuery): Promise<UsageSum[]> {
  const { accountId, from, to, timeZone, groupBy, rowsMax } = query;
  const nothing = sql`NULL`;
  const rows = await sql<Row[]>`
    SELECT day::text, model, key_id::text AS "keyId", sum(requests) AS requests,
      sum(prompt_tokens) AS "promptTokens", sum(cached_prompt_tokens) AS "cachedPromptTokens",
      sum(cache_write_tokens) AS "cacheWriteTokens", sum(completion_tokens) AS "completionTokens",
      sum(reasoning_tokens) AS "reasoningTokens", sum(cost_nano) AS "costNano"
    FROM (
      SELECT ${groupBy.has('day') ? sql`(bucket_15m AT TIME ZONE ${timeZone})::date` : nothing} AS day,
        ${groupBy.has('model') ? sql`model` : nothing} AS model,
        ${groupBy.has('key') ? sql`key_id` : nothing} AS key_id,
        requests, prompt_tokens, cached_prompt_tokens, cache_write_tokens, completion_tokens, reasoning_tokens,
        cost_nano
      FROM usage_totals WHERE account_id = ${accountId} AND bucket_15m >= ${from} AND bucket_15m < ${to}
    ) AS total
    GROUP BY day, model, key_id ORDER BY day, model, key_id LIMIT ${rowsMax}`;
  return rows.map((row) => ({
    day: row.day,
    model: row.model,
    keyId: row.keyId === null ? null : Number(row.keyId),
    requests: Number(row.requests),
    promptTokens: Number(row.promptTokens),
    cachedPromptTokens: Number(row.cachedPromptTokens),
    cacheWriteTokens: Number(row.cacheWriteTokens),
    completionTokens: Number(row.completionTokens),
    reasoningTokens: Number(row.reasoningTokens),
    costNano: nanoUsd(BigInt(row.costNano ?? '0')),
  }));
}
