/**
 * Requests for an OpenAI-compatible provider: the client's own text, with the model's name at the provider, the output
 * cap that the hold covers, usage always asked for, and what the provider's quirks change. What decides the cost is
 * always written by us, and last, so that a name that stands twice in the client's text cannot mean one thing here and
 * another at the provider.
 */
import { type JsonPatch, patchObject } from '../../json/patch-object.ts';
import { asRecord } from '../../json/record.ts';
import type { Call } from '../../request/call.ts';
import { unpricedPatch } from '../../request/unpriced-parameters.ts';
import type { UpstreamRequest, UpstreamTarget } from '../adapter.ts';
import { changedMessages } from './chat-messages.ts';
import { withoutForeignMembers } from './foreign-members.ts';
import { parameterPatch } from './parameters.ts';
import { addressOf } from './provider-request.ts';

/** Throws GatewayError `unsupported_parameter`, as the others do. */
export function buildChatRequest(call: Call, target: UpstreamTarget): UpstreamRequest {
  const { quirks } = target.deployment.provider;
  const { messages, tools } = withoutForeignMembers(call, quirks);
  const changed = changedMessages(messages, quirks) ?? textOfChanged(messages, call.body.messages);
  const changedTools = textOfChanged(tools, call.body.tools);
  const forced = quirks.toolChoiceRequired ?? 'required';
  return request('chat', call, target, {
    ...(changed !== undefined && { messages: changed }),
    ...(changedTools !== undefined && { tools: changedTools }),
    ...(call.body.tool_choice === 'required' && forced !== 'required' && { tool_choice: JSON.stringify(forced) }),
    ...parameterPatch(call.body, quirks),
    ...generationPatch(call, target, quirks.outputCapParameter),
  });
}

function textOfChanged(value: unknown, before: unknown): string | undefined {
  return value === before ? undefined : JSON.stringify(value);
}

export function buildCompletionRequest(call: Call, target: UpstreamTarget): UpstreamRequest {
  const { best_of: bestOf } = call.body;
  return request('completion', call, target, {
    ...parameterPatch(call.body, target.deployment.provider.quirks),
    ...generationPatch(call, target),
    // Each prompt of a list is answered, and generated `best_of` times.
    prompt: JSON.stringify(call.body.prompt),
    best_of: typeof bestOf === 'number' ? String(bestOf) : undefined,
  });
}

/** Numbers are what every provider can answer; the client's own form is made of them. */
export function buildEmbeddingRequest(call: Call, target: UpstreamTarget): UpstreamRequest {
  return request('embedding', call, target, {
    encoding_format: '"float"',
    ...parameterPatch(call.body, target.deployment.provider.quirks),
    stream: undefined,
    // Each of a list may fill the context, so their number decides the hold.
    input: JSON.stringify(call.body.input),
  });
}

function request(
  kind: 'chat' | 'completion' | 'embedding',
  call: Call,
  target: UpstreamTarget,
  patch: JsonPatch,
): UpstreamRequest {
  const { url, modelText, wholeHeaders, streamHeaders } = addressOf(target, kind);
  return {
    url,
    headers: call.stream ? streamHeaders : wholeHeaders,
    body: patchObject(call.text, { ...unpricedPatch(call.body), ...patch, model: modelText }),
  };
}

function generationPatch(
  call: Call,
  { deployment, outputCap }: UpstreamTarget,
  capParameter = 'max_tokens',
): JsonPatch {
  const { quirks } = deployment.provider;
  const asksUsage = call.stream && quirks.streamUsage !== false;
  return {
    n: call.n === 1 ? undefined : String(call.n),
    stream: call.stream ? 'true' : undefined,
    stream_options: asksUsage ? optionsWithUsage(call.body.stream_options) : undefined,
    max_tokens: undefined,
    max_completion_tokens: undefined,
    [capParameter]: String(outputCap),
  };
}

function optionsWithUsage(own: unknown): string {
  return own === undefined ? '{"include_usage":true}' : JSON.stringify({ ...asRecord(own), include_usage: true });
}
