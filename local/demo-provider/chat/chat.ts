/** `POST /v1/chat/completions`: one response as JSON, or token by token as a stream. */
import { isObject } from '../../../shared/members.ts';
import { eventStream } from '../event-stream.ts';
import type { JsonObject } from '../fields.ts';
import { type Generation, generate } from '../generation.ts';
import { type Usage, usageOf } from '../usage.ts';
import { type ChatRequest, readChatRequest } from './chat-request.ts';
import { composeReply } from './compose-reply.ts';
import { exampleOf } from './schema-example.ts';

interface Reply {
  generation: Generation;
  /** Absent for a response in text. */
  toolCall: { id: string; name: string } | undefined;
}

export function completeChat(body: unknown, tokensPerSecond: number): Response {
  const request = readChatRequest(body);
  const replies = Array.from({ length: request.choices }, (_, index) => compose(request, index));
  const completionTokens = replies.reduce((sum, { generation }) => sum + generation.completionTokens, 0);
  const usage = usageOf(request.promptTokens, completionTokens);
  const head = {
    id: `chatcmpl-demo-${crypto.randomUUID()}`,
    created: Math.floor(Date.now() / 1000),
    model: request.model,
    system_fingerprint: 'demo',
  };
  if (request.isStreamed) return eventStream(chunks({ head, replies, usage, request }), tokensPerSecond);
  const choices = replies.map(wholeChoice);
  return Response.json({ ...head, object: 'chat.completion', choices, usage });
}

function compose(request: ChatRequest, index: number): Reply {
  const text =
    request.tool?.arguments ?? structuredText(request.responseFormat) ?? composeReply(request.messages, index);
  const generation = generate(text, { tokensMax: request.tokensMax, stop: request.tool ? [] : request.stop });
  const toolCall = request.tool && { id: `call_demo_${index}`, name: request.tool.name };
  return { generation, toolCall };
}

/** A client that asked for JSON could not parse a text response. */
function structuredText(format: JsonObject | undefined): string | undefined {
  if (format?.type === 'json_object') return JSON.stringify({ answer: 'I am the demo model of this gateway.' });
  if (format?.type !== 'json_schema' || !isObject(format.json_schema)) return undefined;
  return JSON.stringify(exampleOf(format.json_schema.schema));
}

function finishReason({ generation, toolCall }: Reply): string {
  return toolCall !== undefined && generation.finishReason === 'stop' ? 'tool_calls' : generation.finishReason;
}

function wholeChoice(given: Reply, index: number): object {
  const { generation, toolCall } = given;
  const call = toolCall && { id: toolCall.id, type: 'function', function: callOf(toolCall.name, generation.text) };
  const message = {
    role: 'assistant',
    content: call === undefined ? generation.text : null,
    refusal: null,
    ...(call === undefined ? {} : { tool_calls: [call] }),
  };
  return { index, message, logprobs: null, finish_reason: finishReason(given) };
}

function chunks(options: { head: object; replies: Reply[]; usage: Usage; request: ChatRequest }): object[] {
  const { includesUsage } = options.request;
  const usageField = includesUsage ? { usage: null } : {};
  const chunk = (index: number, delta: object, reason: string | null) => ({
    ...options.head,
    object: 'chat.completion.chunk',
    choices: [{ index, delta, logprobs: null, finish_reason: reason }],
    ...usageField,
  });
  const events = options.replies.flatMap((given, index) => [
    ...deltas(given).map((delta) => chunk(index, delta, null)),
    chunk(index, {}, finishReason(given)),
  ]);
  const last = { ...options.head, object: 'chat.completion.chunk', choices: [], usage: options.usage };
  return includesUsage ? [...events, last] : events;
}

/** The first delta has the role, and each further one has one token. */
function deltas({ generation, toolCall }: Reply): object[] {
  if (toolCall === undefined) {
    const words = generation.segments.map((content) => ({ content }));
    return [{ role: 'assistant', content: '', refusal: null }, ...words];
  }
  const first = { index: 0, id: toolCall.id, type: 'function', function: callOf(toolCall.name, '') };
  const parts = generation.segments.map((text) => ({ tool_calls: [{ index: 0, function: { arguments: text } }] }));
  return [{ role: 'assistant', content: null, tool_calls: [first] }, ...parts];
}

function callOf(name: string, text: string): object {
  return { name, arguments: text };
}
