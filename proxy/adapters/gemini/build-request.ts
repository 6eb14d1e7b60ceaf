/**
 * A chat completion as a call of generateContent. The body is made anew from what was read of the client's, so nothing
 * that the client's text may hide reaches the provider.
 */
import type { JsonRecord } from '../../json/record.ts';
import type { Call, ChatCall } from '../../request/call.ts';
import type { UpstreamRequest, UpstreamTarget } from '../adapter.ts';
import { promptOf } from './contents.ts';
import { toolsOf } from './function-declarations.ts';
import { generationConfigOf } from './generation-config.ts';

/** Throws GatewayError where Gemini cannot be asked for this. */
export function buildChatRequest(call: Call, target: UpstreamTarget): UpstreamRequest {
  // Only calls for chat models come here, and their endpoint has read them as such.
  const { body } = call as ChatCall;
  const { model, provider } = target.deployment;
  const { contents, systemInstruction } = promptOf(body.messages, model);
  return geminiRequest(target, {
    method: call.stream ? 'streamGenerateContent?alt=sse' : 'generateContent',
    accept: call.stream ? 'text/event-stream' : 'application/json',
    body: {
      contents,
      ...(systemInstruction === undefined ? {} : { systemInstruction }),
      ...toolsOf(body),
      generationConfig: generationConfigOf(body, {
        outputCap: target.outputCap,
        choices: call.n,
        control: provider.quirks.reasoningControl ?? 'budget',
      }),
    },
  });
}

export function geminiRequest(
  { deployment, apiKey }: UpstreamTarget,
  { method, accept, body }: { method: string; accept: string; body: JsonRecord },
): UpstreamRequest {
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    accept,
    'accept-encoding': 'identity',
  };
  if (apiKey !== undefined) headers['x-goog-api-key'] = apiKey;
  return {
    url: `${deployment.provider.baseUrl.replace(/\/+$/, '')}/models/${encodeURIComponent(deployment.model)}:${method}`,
    headers,
    body: JSON.stringify(body),
  };
}
