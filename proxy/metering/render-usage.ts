/** Usage as our answers show it: normalised counts, their details, and the cost. */
import type { RenderedCharge } from '../adapters/adapter.ts';

/** JSON text. */
export function renderUsage({ usage, costUsd }: RenderedCharge): string {
  const counts = JSON.stringify({
    prompt_tokens: usage.promptTokens,
    completion_tokens: usage.completionTokens,
    total_tokens: usage.promptTokens + usage.completionTokens,
    prompt_tokens_details: { cached_tokens: usage.cachedPromptTokens, cache_write_tokens: usage.cacheWriteTokens },
    completion_tokens_details: { reasoning_tokens: usage.reasoningTokens },
  });
  // The cost is spelled out digit by digit; a JavaScript number could not always hold it.
  return `${counts.slice(0, -1)},"cost":${costUsd}}`;
}
