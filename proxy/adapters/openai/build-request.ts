/**
 * A chat completion for an OpenAI-compatible provider: the client's own text, with the model's name at the provider,
 * the output cap that the hold covers, and usage always asked for.
 */
import { patchObject } from '../../json/patch-object.ts';
import type { Call } from '../../request/call.ts';
import type { UpstreamRequest, UpstreamTarget } from '../adapter.ts';

export function buildChatRequest(call: Call, target: UpstreamTarget): UpstreamRequest {
  const { provider, model } = target.deployment;
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    accept: call.stream ? 'text/event-stream' : 'application/json',
    'accept-encoding': 'identity',
  };
  if (target.apiKey !== undefined) headers.authorization = `Bearer ${target.apiKey}`;
  return {
    url: `${provider.baseUrl}/chat/completions`,
    headers,
    body: patchObject(call.text, {
      // What decides the cost is always written by us, so that a name that stands twice in the client's text cannot
      // mean one thing here and another at the provider.
      model: JSON.stringify(model),
      n: call.n === 1 ? undefined : String(call.n),
      stream: call.stream ? 'true' : undefined,
      stream_options: call.stream ? '{"include_usage":true}' : undefined,
      max_tokens: undefined,
      max_completion_tokens: undefined,
      [provider.quirks.outputCapParameter ?? 'max_tokens']: String(target.outputCap),
    }),
  };
}
