/** Usage as clients see it, as JSON text: normalised counts and the cost. */
import type { RenderedCharge } from '../nouns/usage.ts';

/** As chat completions report it, with the counts' details. */
export function renderUsage({ usage, costUsd }: RenderedCharge): string {
  const { promptTokens, cachedPromptTokens, cacheWriteTokens, completionTokens, reasoningTokens } = usage;
  const counts = `"prompt_tokens":${promptTokens},"completion_tokens":${completionTokens},"total_tokens":${promptTokens + completionTokens}`;
  // Nearly always none.
  const details =
    cachedPromptTokens === 0 && cacheWriteTokens === 0 && reasoningTokens === 0
      ? noDetails
      : renderDetails(cachedPromptTokens, cacheWriteTokens, reasoningTokens);
  // The cost is spelled out digit by digit; a JavaScript number could not always hold it.
  return `{${counts},${details},"cost":${costUsd}}`;
}

function renderDetails(cached: number, written: number, reasoning: number): string {
  const prompt = `{"cached_tokens":${cached},"cache_write_tokens":${written}}`;
  return `"prompt_tokens_details":${prompt},"completion_tokens_details":{"reasoning_tokens":${reasoning}}`;
}

const noDetails = renderDetails(0, 0, 0);

/** As embeddings report it: there is no output. */
export function renderEmbeddingUsage({ usage, costUsd }: RenderedCharge): string {
  // The cost is spelled out digit by digit; a JavaScript number could not always hold it.
  return `{"prompt_tokens":${usage.promptTokens},"total_tokens":${usage.promptTokens},"cost":${costUsd}}`;
}

/** As responses report it. */
export function renderResponseUsage({ usage, costUsd }: RenderedCharge): string {
  const counts = JSON.stringify({
    input_tokens: usage.promptTokens,
    input_tokens_details: { cached_tokens: usage.cachedPromptTokens, cache_write_tokens: usage.cacheWriteTokens },
    output_tokens: usage.completionTokens,
    output_tokens_details: { reasoning_tokens: usage.reasoningTokens },
    total_tokens: usage.promptTokens + usage.completionTokens,
  });
  // The cost is spelled out digit by digit; a JavaScript number could not always hold it.
  return `${counts.slice(0, -1)},"cost":${costUsd}}`;
}
