/**
 * A chat completion request as a request of Anthropic's Messages API. It is written anew, so nothing in the client's
 * text that we do not know reaches the provider, least of all what would cost extra.
 */
import type { ChatCall } from '../../request/call.ts';
import type { ChatRequest } from '../../request/chat-request.ts';
import type { UpstreamRequest, UpstreamTarget } from '../adapter.ts';
import { checkSupported } from './check-supported.ts';
import { textBlock } from './content-blocks.ts';
import { buildConversation } from './conversation.ts';
import { answerSchemaOf, jsonInstruction, wantsAnyJson } from './json-answer.ts';
import { buildReasoning } from './reasoning.ts';
import { buildSampling, stopSequencesOf } from './sampling.ts';
import { buildTooling } from './tools.ts';

const apiVersion = '2023-06-01';

/** Throws GatewayError where Anthropic's protocol cannot say what the client asks for. */
export function buildMessagesRequest(call: ChatCall, target: UpstreamTarget): UpstreamRequest {
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    accept: call.stream ? 'text/event-stream' : 'application/json',
    'accept-encoding': 'identity',
    'anthropic-version': apiVersion,
  };
  if (target.apiKey !== undefined) headers['x-api-key'] = target.apiKey;
  return {
    url: `${target.deployment.provider.baseUrl}/messages`,
    headers,
    body: JSON.stringify({
      model: target.deployment.model,
      max_tokens: target.outputCap,
      ...(call.stream ? { stream: true } : {}),
      ...translate(call.body, target),
    }),
  };
}

function translate(body: ChatRequest, { outputCap, deployment }: UpstreamTarget) {
  checkSupported(body);
  const { structuredOutput = 'tool', reasoningControl: control = 'budget' } = deployment.provider.quirks;
  const conversation = buildConversation(body.messages);
  const system = [...conversation.system, ...textBlock(wantsAnyJson(body) ? jsonInstruction : '')];
  const { tools, choice } = buildTooling(body, { conversation, structuredOutput });
  const reasoning = buildReasoning(body, { outputCap, control, conversation, toolChoice: choice });
  const stopSequences = stopSequencesOf(body);
  const schema = structuredOutput === 'native' ? answerSchemaOf(body) : undefined;
  const outputConfig = {
    ...(reasoning.effort === undefined ? {} : { effort: reasoning.effort }),
    ...(schema === undefined ? {} : { format: { type: 'json_schema', schema } }),
  };
  return {
    ...(system.length > 0 ? { system } : {}),
    messages: conversation.turns,
    ...(tools.length > 0 ? { tools } : {}),
    ...(choice === undefined ? {} : { tool_choice: choice }),
    ...(reasoning.thinking === undefined ? {} : { thinking: reasoning.thinking }),
    ...(Object.keys(outputConfig).length > 0 ? { output_config: outputConfig } : {}),
    ...buildSampling(body, { reasoning, control }),
    ...(stopSequences.length > 0 ? { stop_sequences: stopSequences } : {}),
    ...(body.user ? { metadata: { user_id: body.user } } : {}),
  };
}
