/** The table of protocols. */
import type { Protocol } from '../../shared/catalogue/published-catalogue.ts';
import type { Adapter } from './adapter.ts';
import { anthropicAdapter } from './anthropic/anthropic-adapter.ts';
import { bedrockAdapter } from './bedrock/bedrock-adapter.ts';
import { geminiAdapter } from './gemini/gemini-adapter.ts';
import { openaiAdapter } from './openai/openai-adapter.ts';
import { openaiResponsesAdapter } from './openai-responses/openai-responses-adapter.ts';

const adapters: Record<Protocol, Adapter> = {
  openai: openaiAdapter,
  'openai-responses': openaiResponsesAdapter,
  anthropic: anthropicAdapter,
  gemini: geminiAdapter,
  bedrock: bedrockAdapter,
};

export function adapterOf(protocol: Protocol): Adapter {
  return adapters[protocol];
}
