/**
 * The token counts of Anthropic's Messages and Bedrock's Converse. `input` excludes tokens read from or written to the
 * cache, so the prompt is the sum of three counts.
 */
import { noUsage, type Usage } from '../../nouns/usage.ts';

export interface MessageCounts {
  readonly input: number | undefined;
  readonly cacheWrite: number | undefined;
  readonly cacheRead: number | undefined;
  readonly output: number | undefined;
  readonly thinking: number | undefined;
}

export const noCounts: MessageCounts = {
  input: undefined,
  cacheWrite: undefined,
  cacheRead: undefined,
  output: undefined,
  thinking: undefined,
};

/** Null if a charged count is missing, so that the caller estimates. */
export function usageOf({ input, cacheWrite = 0, cacheRead = 0, output, thinking = 0 }: MessageCounts): Usage | null {
  if (input === undefined || output === undefined) return null;
  return {
    ...noUsage,
    promptTokens: input + cacheWrite + cacheRead,
    cachedPromptTokens: cacheRead,
    cacheWriteTokens: cacheWrite,
    completionTokens: output,
    reasoningTokens: Math.min(thinking, output),
  };
}
