/**
 * The token counts of one request, normalised over providers (wire facts: xAI, Azure and DeepSeek leave reasoning out
 * of `completion_tokens` but not out of `total_tokens`).
 */

export interface Usage {
  readonly promptTokens: number;
  /** Part of `promptTokens`. */
  readonly cachedPromptTokens: number;
  /** Part of `promptTokens`, and none of the cached ones: written to the provider's cache. */
  readonly cacheWriteTokens: number;
  readonly completionTokens: number;
  /** Part of `completionTokens`. */
  readonly reasoningTokens: number;
}

/** More than this in one request is a fault of the provider, not a count. */
const tokensMax = 100_000_000;

/**
 * Reads a provider's `usage` object. Null where it is missing or absurd, so that the caller estimates; an explicit 0
 * is 0.
 */
export function readUsage(value: unknown): Usage | null {
  if (!isRecord(value)) return null;
  const prompt = readCount(value.prompt_tokens);
  const completion = readCount(value.completion_tokens);
  const total = readCount(value.total_tokens);
  if (prompt === undefined || (completion === undefined && total === undefined)) return null;
  const completionTokens = Math.max(completion ?? 0, (total ?? 0) - prompt);
  const promptDetails = asRecord(value.prompt_tokens_details);
  const completionDetails = asRecord(value.completion_tokens_details);
  const cached = readCount(promptDetails.cached_tokens) ?? readCount(value.prompt_cache_hit_tokens) ?? 0;
  return {
    promptTokens: prompt,
    cachedPromptTokens: Math.min(cached, prompt),
    cacheWriteTokens: 0,
    completionTokens,
    reasoningTokens: Math.min(readCount(completionDetails.reasoning_tokens) ?? 0, completionTokens),
  };
}

/** Undefined where there is no count, or an absurd one. */
export function readCount(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= tokensMax ? value : undefined;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function asRecord(value: unknown): Record<string, unknown> {
  return isRecord(value) ? value : {};
}
