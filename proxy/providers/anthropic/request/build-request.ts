/**
 * Translates a chat completion request to Anthropic's Messages API. The request is built from known members only, so
 * nothing unknown in the client's request reaches the provider, least of all what would cost extra.
 */
import type { ChatCall } from '../../../nouns/call.ts';
import type { Deployment } from '../../../pricing/catalogue.ts';
import type { PromptSize, UpstreamRequest, UpstreamTarget } from '../../adapter.ts';
import { cacheTranslation } from '../../cached-translation.ts';
import { checkSupported } from '../../content-blocks/check-supported.ts';
import { jsonInstruction, responseSchemaOf, wantsAnyJson } from '../../content-blocks/json-output.ts';
import { buildSampling, stopSequencesOf } from '../../content-blocks/sampling.ts';
import { buildReasoning } from '../../content-blocks/thinking.ts';
import { textBlock } from './content-blocks.ts';
import { buildConversation } from './conversation.ts';
import type { Conversation } from './messages-request.ts';
import { buildTooling, type Tooling } from './tool-definitions.ts';

const apiVersion = '2023-06-01';

/** Throws GatewayError for what Anthropic's protocol does not support. */
export function buildMessagesRequest(call: ChatCall, target: UpstreamTarget): UpstreamRequest {
  const prompt = writtenPrompts.take(call, target.deployment);
  const settings = JSON.stringify({
    model: target.deployment.model,
    max_tokens: target.outputCap,
    ...(call.stream ? { stream: true } : {}),
    ...settingsOf(call, { prompt, ...target }),
  });
  return {
    url: `${target.deployment.provider.baseUrl}/messages`,
    headers: messagesHeaders(target.apiKey, call.stream ? 'text/event-stream' : 'application/json'),
    body: `${settings.slice(0, -1)},${prompt.text.slice(1)}`,
  };
}

export function messagesHeaders(apiKey: string | undefined, accept: string): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    accept,
    'accept-encoding': 'identity',
    'anthropic-version': apiVersion,
  };
  if (apiKey !== undefined) headers['x-api-key'] = apiKey;
  return headers;
}

/** Throws GatewayError as the request itself does. */
export function measureMessagesPrompt(call: ChatCall, deployment: Deployment): PromptSize {
  const prompt = writtenPrompts.peek(call, deployment);
  const settings = settingsOf(call, { prompt, deployment, outputCap: 1 });
  return {
    bytes: Buffer.byteLength(prompt.text) + Buffer.byteLength(JSON.stringify(settings)),
    hasLongMedia: call.hasLongMedia ?? false,
  };
}

interface WrittenPrompt extends Pick<Tooling, 'choice'> {
  /** A JSON object: system, messages, tools and the tool choice. */
  readonly text: string;
  readonly conversation: Conversation;
}

const writtenPrompts = cacheTranslation(writePrompt);

function writePrompt({ body, webSearch }: ChatCall, { provider }: Deployment): WrittenPrompt {
  checkSupported(body);
  const { structuredOutput = 'tool' } = provider.quirks;
  const conversation = buildConversation(body.messages, webSearch !== undefined);
  const system = [...conversation.system, ...textBlock(wantsAnyJson(body) ? jsonInstruction : '')];
  const { tools, choice } = buildTooling({ body, webSearch }, { conversation, structuredOutput });
  const text = JSON.stringify({
    ...(system.length > 0 ? { system } : {}),
    messages: conversation.turns,
    ...(tools.length > 0 ? { tools } : {}),
    ...(choice === undefined ? {} : { tool_choice: choice }),
  });
  return { text, conversation, choice };
}

function settingsOf(
  call: ChatCall,
  { prompt, outputCap, deployment }: { prompt: WrittenPrompt; outputCap: number; deployment: Deployment },
) {
  const { structuredOutput = 'tool', reasoningControl: control = 'budget' } = deployment.provider.quirks;
  const { body } = call;
  const { conversation, choice: toolChoice } = prompt;
  const reasoning = buildReasoning(call, {
    outputCap,
    control,
    forcesTool: toolChoice?.type === 'any' || toolChoice?.type === 'tool',
    canStartWithThinking: canStartWithThinking(conversation),
  });
  const stopSequences = stopSequencesOf(body);
  const schema = structuredOutput === 'native' ? responseSchemaOf(body) : undefined;
  const outputConfig = {
    ...(reasoning.effort === undefined ? {} : { effort: reasoning.effort }),
    ...(schema === undefined ? {} : { format: { type: 'json_schema', schema } }),
  };
  return {
    ...(reasoning.thinking === undefined ? {} : { thinking: reasoning.thinking }),
    ...(Object.keys(outputConfig).length > 0 ? { output_config: outputConfig } : {}),
    ...buildSampling(body, { reasoning, control }),
    ...(stopSequences.length > 0 ? { stop_sequences: stopSequences } : {}),
    ...(body.user ? { metadata: { user_id: body.user } } : {}),
  };
}

/**
 * Whether Anthropic accepts a thinking budget: then a turn that the model continues has to begin with thinking.
 * OpenAI's clients do not send it back between tool calls, and a turn that the client has begun itself has none.
 */
function canStartWithThinking({ turns }: Conversation): boolean {
  const last = turns.at(-1);
  if (last?.role === 'assistant') return false;
  if (!last?.content.some((block) => block.type === 'tool_result')) return true;
  const first = turns.at(-2)?.content[0];
  return first?.type === 'thinking' || first?.type === 'redacted_thinking';
}
