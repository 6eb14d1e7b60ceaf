/** Usage as clients see it, as JSON text: normalised counts and the cost. */
import { noUsage, type RenderedCharge, type Usage } from '../nouns/usage.ts';

/** As chat completions report it, with the counts' details. */
export function renderUsage({ usage, costUsd }: RenderedCharge): string {
  const { promptTokens, cachedPromptTokens, cacheWriteTokens, completionTokens, reasoningTokens } = usage;
  const { audioPromptTokens, audioCompletionTokens } = usage;
  const counts = `"prompt_tokens":${promptTokens},"completion_tokens":${completionTokens},"total_tokens":${promptTokens + completionTokens}`;
  // Nearly always none.
  const details =
    cachedPromptTokens + cacheWriteTokens + reasoningTokens + audioPromptTokens + audioCompletionTokens === 0
      ? noDetails
      : renderDetails(usage);
  // The cost is spelled out digit by digit; a JavaScript number could not always hold it.
  return `{${counts},${details}${renderSearches(usage)},"cost":${costUsd}}`;
}

function renderDetails(usage: Usage): string {
  const { cachedPromptTokens: cached, cacheWriteTokens: written, reasoningTokens: reasoning } = usage;
  const audioIn = renderAudio(usage.audioPromptTokens);
  const audioOut = renderAudio(usage.audioCompletionTokens);
  const prompt = `{"cached_tokens":${cached},"cache_write_tokens":${written}${audioIn}}`;
  return `"prompt_tokens_details":${prompt},"completion_tokens_details":{"reasoning_tokens":${reasoning}${audioOut}}`;
}

/** As Anthropic and OpenRouter name them. Nearly always none. */
function renderSearches({ webSearches }: Usage): string {
  return webSearches === 0 ? '' : `,"server_tool_use":{"web_search_requests":${webSearches}}`;
}

/** Most models have none. */
function renderAudio(tokens: number): string {
  return tokens === 0 ? '' : `,"audio_tokens":${tokens}`;
}

const noDetails = renderDetails(noUsage);

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
  return `${counts.slice(0, -1)}${renderSearches(usage)},"cost":${costUsd}}`;
}
