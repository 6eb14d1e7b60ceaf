/**
 * The token counts of Anthropic's Messages and Bedrock's Converse. `input` excludes tokens read from or written to the
 * cache, so the prompt is the sum of three counts.
 */
import { noUsage, type Usage } from '../../nouns/usage.ts';

export interface MessageCounts {
  readonly input: number | undefined;
  readonly cacheWrite: number | undefined;
  /** For an hour: part of `cacheWrite`. */
  readonly cacheWrite1h: number | undefined;
  readonly cacheRead: number | undefined;
  readonly output: number | undefined;
  readonly thinking: number | undefined;
  /** Searches of the web. */
  readonly webSearches?: number | undefined;
}

export const noCounts: MessageCounts = {
  input: undefined,
  cacheWrite: undefined,
  cacheWrite1h: undefined,
  cacheRead: undefined,
  output: undefined,
  thinking: undefined,
};

/** Null if a charged count is missing, so that the caller estimates. There are at least as many searches as were shown. */
export function usageOf(counts: MessageCounts, searchesShown = 0): Usage | null {
  const { input, cacheWrite = 0, cacheWrite1h = 0, cacheRead = 0, output, thinking = 0 } = counts;
  if (input === undefined || output === undefined) return null;
  return {
    ...noUsage,
    promptTokens: input + cacheWrite + cacheRead,
    cachedPromptTokens: cacheRead,
    cacheWriteTokens: cacheWrite,
    cacheWrite1hTokens: Math.min(cacheWrite1h, cacheWrite),
    completionTokens: output,
    reasoningTokens: Math.min(thinking, output),
    webSearches: Math.max(counts.webSearches ?? 0, searchesShown),
  };
}
