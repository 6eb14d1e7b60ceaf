/**
 * The token counts of one request, normalised over providers (wire facts: xAI, Azure and DeepSeek leave reasoning out
 * of `completion_tokens` but not out of `total_tokens`).
 */
import { asRecord, isRecord } from '../json/record.ts';

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

/** Names under which OpenAI-compatible providers report prompt tokens that came from their cache. */
const cachedNames = ['prompt_cache_hit_tokens', 'cache_read_input_tokens', 'num_cached_tokens', 'cached_tokens'];

/**
 * Reads an OpenAI-compatible `usage` object. Null where it is missing or absurd, so that the caller estimates; an
 * explicit 0 is 0. `cachedTokensField` names a member of a provider that calls its cached tokens otherwise.
 */
export function readUsage(value: unknown, options: { cachedTokensField?: string | undefined } = {}): Usage | null {
  if (!isRecord(value)) return null;
  const total = readCount(value.total_tokens);
  const completion = readCount(value.completion_tokens);
  const prompt = readCount(value.prompt_tokens) ?? readDifference(total, completion);
  if (prompt === undefined || (completion === undefined && total === undefined)) return null;
  const completionTokens = Math.max(completion ?? 0, (total ?? 0) - prompt);
  const promptDetails = asRecord(value.prompt_tokens_details);
  const completionDetails = asRecord(value.completion_tokens_details);
  const field = options.cachedTokensField;
  const cached = Math.min(
    firstCount([
      field === undefined ? undefined : (value[field] ?? promptDetails[field]),
      promptDetails.cached_tokens,
      ...cachedNames.map((name) => value[name]),
    ]),
    prompt,
  );
  const cacheWrite = firstCount([
    promptDetails.cache_write_tokens,
    promptDetails.cache_creation_tokens,
    value.cache_creation_input_tokens,
  ]);
  return {
    promptTokens: prompt,
    cachedPromptTokens: cached,
    cacheWriteTokens: Math.min(cacheWrite, prompt - cached),
    completionTokens,
    reasoningTokens: Math.min(
      firstCount([completionDetails.reasoning_tokens, value.reasoning_tokens]),
      completionTokens,
    ),
  };
}

/** Undefined where either is missing, or nothing would be left for the prompt. */
function readDifference(total: number | undefined, completion: number | undefined): number | undefined {
  if (total === undefined || completion === undefined) return undefined;
  return readCount(total - completion);
}

function firstCount(values: readonly unknown[]): number {
  for (const value of values) {
    const count = readCount(value);
    if (count !== undefined) return count;
  }
  return 0;
}

/** Undefined where there is no count, or an absurd one. */
export function readCount(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= tokensMax ? value : undefined;
}
