/**
 * The token counts of a message where `input` is what came neither from the cache nor was written to it, so that the
 * prompt is the sum of three counts: Anthropic's Messages, Bedrock's Converse.
 */
import { noUsage, type Usage } from '../../metering/usage.ts';

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

/** Null where a count that is charged is missing, so that the caller estimates. */
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
