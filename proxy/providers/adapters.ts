/** The table of protocols. */
import type { ModelKind } from '../../shared/catalogue/model-kinds.ts';
import type { Protocol } from '../../shared/catalogue/published-catalogue.ts';
import type { Adapter, Operation } from './adapter.ts';
import { anthropicAdapter } from './anthropic/anthropic-adapter.ts';
import { bedrockAdapter } from './bedrock/bedrock-adapter.ts';
import { cohereAdapter } from './cohere/cohere-adapter.ts';
import { geminiAdapter } from './gemini/gemini-adapter.ts';
import { openaiAdapter } from './openai/openai-adapter.ts';
import { openaiResponsesAdapter } from './openai-responses/openai-responses-adapter.ts';

const adapters: Record<Protocol, Adapter> = {
  openai: openaiAdapter,
  'openai-responses': openaiResponsesAdapter,
  anthropic: anthropicAdapter,
  gemini: geminiAdapter,
  bedrock: bedrockAdapter,
  cohere: cohereAdapter,
};

/** Undefined if models of this kind are not served over the protocol. A call is only given to the operation of its own kind. */
export function operationOf(protocol: Protocol, kind: ModelKind): Operation | undefined {
  return adapters[protocol].operations[kind] as Operation | undefined;
}

export function adapterOf(protocol: Protocol): Adapter {
  return adapters[protocol];
}
