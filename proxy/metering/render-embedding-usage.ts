/** Usage as embeddings report it: there is no output. */
import type { RenderedCharge } from '../providers/adapter.ts';

/** JSON text. */
export function renderEmbeddingUsage({ usage, costUsd }: RenderedCharge): string {
  // The cost is spelled out digit by digit; a JavaScript number could not always hold it.
  return `{"prompt_tokens":${usage.promptTokens},"total_tokens":${usage.promptTokens},"cost":${costUsd}}`;
}
