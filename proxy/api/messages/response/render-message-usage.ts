/** Usage as this API format counts it: input tokens exclude those read from or written to the cache. */
import type { RenderedCharge, Usage } from '../../../nouns/usage.ts';
import type { MessageUsage } from '../message-schemas.ts';

/** JSON text. `cost` is the gateway's own field, in USD, as in a chat completion's usage. */
export function renderMessageUsage({ usage, costUsd }: RenderedCharge): string {
  const counts = JSON.stringify({
    input_tokens: usage.promptTokens - usage.cachedPromptTokens - usage.cacheWriteTokens,
    cache_creation_input_tokens: usage.cacheWriteTokens,
    ...(usage.cacheWriteTokens > 0 && { cache_creation: byLifetime(usage) }),
    cache_read_input_tokens: usage.cachedPromptTokens,
    output_tokens: usage.completionTokens,
    output_tokens_details: { thinking_tokens: usage.reasoningTokens },
    ...(usage.webSearches > 0 && { server_tool_use: { web_search_requests: usage.webSearches } }),
  } satisfies MessageUsage);
  // The cost is spelled out digit by digit; a JavaScript number could not always hold it.
  return `${counts.slice(0, -1)},"cost":${costUsd}}`;
}

function byLifetime({ cacheWriteTokens, cacheWrite1hTokens }: Usage) {
  return {
    ephemeral_5m_input_tokens: cacheWriteTokens - cacheWrite1hTokens,
    ephemeral_1h_input_tokens: cacheWrite1hTokens,
  };
}

/** What `message_start` says: the counts are not known yet. */
export const unknownUsage: MessageUsage = {
  input_tokens: 0,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
  output_tokens: 0,
};
