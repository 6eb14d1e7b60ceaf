/**
 * Translates a chat completion request to Bedrock's Converse API. The request is built from known members only, so
 * nothing unknown in the client's request reaches the provider, least of all what would cost extra.
 */
import type { ChatCall } from '../../../nouns/call.ts';
import type { ChatRequest } from '../../../nouns/requests/chat-request.ts';
import type { Deployment } from '../../../pricing/catalogue.ts';
import type { PromptSize, UpstreamRequest, UpstreamTarget } from '../../adapter.ts';
import { cacheTranslation } from '../../cached-translation.ts';
import { checkSupported } from '../../content-blocks/check-supported.ts';
import { jsonInstruction, wantsAnyJson } from '../../content-blocks/json-output.ts';
import { buildSampling, stopSequencesOf } from '../../content-blocks/sampling.ts';
import { buildReasoning, effortOfBudget, type Reasoning } from '../../content-blocks/thinking.ts';
import { buildConversation, textBlock } from './conversation.ts';
import type { Conversation, ToolConfig } from './converse-request.ts';
import { buildToolConfig } from './tool-config.ts';

/** Throws GatewayError for what Converse does not support. */
export function buildConverseRequest(call: ChatCall, target: UpstreamTarget): UpstreamRequest {
  const { model, provider } = target.deployment;
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    accept: call.stream ? 'application/vnd.amazon.eventstream' : 'application/json',
    'accept-encoding': 'identity',
  };
  if (target.apiKey !== undefined) headers.authorization = `Bearer ${target.apiKey}`;
  const prompt = writtenPrompts.take(call, target.deployment);
  const settings = JSON.stringify(settingsOf(call, { prompt, ...target }));
  return {
    url: `${provider.baseUrl}/model/${encodeURIComponent(model)}/${call.stream ? 'converse-stream' : 'converse'}`,
    headers,
    body: `${settings.slice(0, -1)},${prompt.text.slice(1)}`,
  };
}

/** Throws GatewayError as the request itself does. */
export function measureConversePrompt(call: ChatCall, deployment: Deployment): PromptSize {
  const prompt = writtenPrompts.peek(call, deployment);
  const settings = settingsOf(call, { prompt, deployment, outputCap: 1 });
  return {
    bytes: Buffer.byteLength(prompt.text) + Buffer.byteLength(JSON.stringify(settings)),
    hasLongMedia: call.hasLongMedia ?? false,
  };
}

interface WrittenPrompt {
  /** A JSON object: system, messages and tools. */
  readonly text: string;
  readonly conversation: Conversation;
  readonly toolChoice: ToolConfig['toolChoice'];
}

const writtenPrompts = cacheTranslation(writePrompt);

function writePrompt({ body }: ChatCall, { provider }: Deployment): WrittenPrompt {
  checkSupported(body);
  const passesMarks = provider.quirks.cacheControl !== 'drop';
  const conversation = buildConversation(body.messages, passesMarks);
  const { messages } = conversation;
  const system = [...conversation.system, ...textBlock(wantsAnyJson(body) ? jsonInstruction : '')];
  const toolConfig = buildToolConfig(body, { conversation, passesMarks });
  const text = JSON.stringify({ ...(system.length > 0 ? { system } : {}), messages, toolConfig });
  return { text, conversation, toolChoice: toolConfig?.toolChoice };
}

function settingsOf(
  call: ChatCall,
  { prompt, outputCap, deployment }: { prompt: WrittenPrompt; outputCap: number; deployment: Deployment },
) {
  const { body } = call;
  const { reasoningControl: control = 'budget', reasoningParameter } = deployment.provider.quirks;
  const takesThinking = reasoningParameter === undefined;
  const reasoning = takesThinking
    ? buildReasoning(call, {
        outputCap,
        control,
        forcesTool: prompt.toolChoice !== undefined,
        canStartWithThinking: canStartWithThinking(prompt.conversation),
      })
    : {};
  const { temperature, top_p: topP, top_k } = buildSampling(body, { reasoning, control });
  const stopSequences = stopSequencesOf(body);
  const fields = {
    ...(reasoningParameter === 'reasoning_effort' ? effortFields(body) : thinkingFields(reasoning)),
    ...(top_k !== undefined && ofAnthropic.test(deployment.model) && { top_k }),
  };
  return {
    inferenceConfig: {
      maxTokens: outputCap,
      temperature,
      topP,
      ...(stopSequences.length > 0 ? { stopSequences } : {}),
    },
    ...(Object.keys(fields).length > 0 ? { additionalModelRequestFields: fields } : {}),
  };
}

/** Converse has no `top_k`, and models of others refuse this name of it. */
const ofAnthropic = /\banthropic\./;

/** For Anthropic's models. */
function thinkingFields({ thinking, effort }: Reasoning) {
  return {
    ...(thinking === undefined ? {} : { thinking }),
    ...(effort === undefined ? {} : { output_config: { effort } }),
  };
}

/** For OpenAI's open models. */
function effortFields({ reasoning, reasoning_effort }: ChatRequest) {
  const budget = reasoning?.max_tokens ?? undefined;
  const effort = reasoning?.effort ?? reasoning_effort ?? (budget === undefined ? undefined : effortOfBudget(budget));
  return effort === undefined || effort === 'none' ? {} : { reasoning_effort: effort };
}

/** With a budget, a turn that the model continues has to begin with thinking, which not every client sends back. */
function canStartWithThinking({ messages }: Conversation): boolean {
  const last = messages.at(-1);
  if (last?.role === 'assistant') return false;
  if (!last?.content.some((block) => 'toolResult' in block)) return true;
  const first = messages.at(-2)?.content[0];
  return first !== undefined && 'reasoningContent' in first;
}
