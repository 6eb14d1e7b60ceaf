/**
 * What one request has used, normalised over providers (wire facts: xAI, Azure and DeepSeek leave reasoning out
 * of `completion_tokens` but not out of `total_tokens`).
 */
import { isObject } from '../../shared/members.ts';
import { noUnits, type UnitCounts } from '../../shared/usage/billable-units.ts';
import { type ServiceTier, serviceTiers } from '../../shared/usage/rates.ts';
import { asRecord, type JsonRecord } from './json/record.ts';

export interface Usage extends UnitCounts {
  /** At which the provider says that it served the request, if it says so. */
  readonly tier?: ServiceTier;
}

export const noUsage: Usage = noUnits;

/** What a request used and costs, as it is shown to its client. */
export interface RenderedCharge {
  readonly usage: Usage;
  /** USD as a decimal, ready to be a JSON number. */
  readonly costUsd: string;
}

/** Names that a provider uses instead of the usual ones. */
export interface UsageNames {
  readonly cachedTokensField?: string | undefined;
}

/** A larger count is an error of the provider. */
const tokensMax = 100_000_000;

/** Names under which OpenAI-compatible providers report prompt tokens that came from their cache. */
const cachedNames = ['prompt_cache_hit_tokens', 'cache_read_input_tokens', 'num_cached_tokens', 'cached_tokens'];
const noNames: UsageNames = {};

/**
 * Reads an OpenAI-compatible `usage` object. Null if it is missing or absurd, so that the caller estimates; an explicit
 * 0 is 0. `cachedTokensField` is the provider's own name of its cached tokens.
 */
export function readUsage(value: unknown, { cachedTokensField: field }: UsageNames = noNames): Usage | null {
  if (!isObject(value)) return null;
  const total = readCount(value.total_tokens);
  const completion = readCount(value.completion_tokens);
  const prompt = readCount(value.prompt_tokens) ?? readDifference(total, completion);
  if (prompt === undefined || (completion === undefined && total === undefined)) return null;
  const completionTokens = Math.max(completion ?? 0, (total ?? 0) - prompt);
  const promptDetails = asRecord(value.prompt_tokens_details);
  const completionDetails = asRecord(value.completion_tokens_details);
  const cached = Math.min(
    (field === undefined ? undefined : readCount(value[field] ?? promptDetails[field])) ??
      readCount(promptDetails.cached_tokens) ??
      firstCount(value, cachedNames),
    prompt,
  );
  const cacheWrite =
    readCount(promptDetails.cache_write_tokens) ??
    readCount(promptDetails.cache_creation_tokens) ??
    readCount(value.cache_creation_input_tokens) ??
    0;
  const cacheWriteTokens = Math.min(cacheWrite, prompt - cached);
  const reasoningTokens = Math.min(
    readCount(completionDetails.reasoning_tokens) ?? readCount(value.reasoning_tokens) ?? 0,
    completionTokens,
  );
  return {
    ...noUsage,
    promptTokens: prompt,
    cachedPromptTokens: cached,
    cacheWriteTokens,
    // What is cached has the price of what is cached.
    audioPromptTokens: Math.min(readCount(promptDetails.audio_tokens) ?? 0, prompt - cached - cacheWriteTokens),
    completionTokens,
    reasoningTokens,
    audioCompletionTokens: Math.min(readCount(completionDetails.audio_tokens) ?? 0, completionTokens - reasoningTokens),
  };
}

/** The usage of a response for which nothing is generated, such as embeddings: Voyage reports only the total. */
export function readPromptUsage(value: unknown, names?: UsageNames): Usage | null {
  return readUsage({ ...asRecord(value), completion_tokens: 0 }, names);
}

/** With what the response's `service_tier` says. */
export function withTier(usage: Usage | null, reported: unknown): Usage | null {
  if (usage === null || reported === undefined) return usage;
  for (const tier of serviceTiers) if (tier === reported) return { ...usage, tier };
  return usage;
}

/** An estimate of the output up to a moment. */
export interface Delivered {
  readonly tokens: number;
  /** A part of them. */
  readonly audioTokens?: number;
}

export const nothingDelivered: Delivered = { tokens: 0 };

/**
 * The usage of a response that continued after its usage was reported. If no output was reported then, only the prompt
 * was counted.
 */
export function usageSince(reported: Usage, { before, now }: { before: Delivered; now: Delivered }): Usage {
  const { completionTokens, audioCompletionTokens } = reported;
  const counted = completionTokens === 0 ? nothingDelivered : before;
  return {
    ...reported,
    completionTokens: completionTokens + now.tokens - counted.tokens,
    audioCompletionTokens: audioCompletionTokens + (now.audioTokens ?? 0) - (counted.audioTokens ?? 0),
  };
}

/** The usage without output beyond this. What remains is reasoning first, then audio. */
export function withOutputAtMost(usage: Usage, tokensMax: number): Usage {
  const completionTokens = Math.min(usage.completionTokens, tokensMax);
  const reasoningTokens = Math.min(usage.reasoningTokens, completionTokens);
  const audioCompletionTokens = Math.min(usage.audioCompletionTokens, completionTokens - reasoningTokens);
  return { ...usage, completionTokens, reasoningTokens, audioCompletionTokens };
}

/** Undefined if either is missing, or the difference is not a valid count. */
function readDifference(total: number | undefined, completion: number | undefined): number | undefined {
  if (total === undefined || completion === undefined) return undefined;
  return readCount(total - completion);
}

function firstCount(usage: JsonRecord, names: readonly string[]): number {
  for (const name of names) {
    const count = readCount(usage[name]);
    if (count !== undefined) return count;
  }
  return 0;
}

/** Undefined if the count is missing or absurd. */
export function readCount(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= tokensMax ? value : undefined;
}
