/**
 * Translates a chat completion request to generateContent. The body is built from known members only, so nothing
 * unknown in the client's request reaches the provider.
 */
import { withoutTrailingSlashes } from '../../../../shared/http/base-url.ts';
import type { Call, ChatCall } from '../../../nouns/call.ts';
import type { Deployment } from '../../../pricing/catalogue.ts';
import type { PromptSize, UpstreamRequest, UpstreamTarget } from '../../adapter.ts';
import { generationConfigOf } from './generation-config.ts';
import { type WrittenPrompt, writtenPrompts } from './written-prompt.ts';

/** Throws GatewayError for what Gemini does not support. */
export function buildChatRequest(call: Call, target: UpstreamTarget): UpstreamRequest {
  const chatCall = asChatCall(call);
  const prompt = writtenPrompts.take(chatCall, target.deployment);
  return geminiRequest(target, {
    method: call.stream ? 'streamGenerateContent?alt=sse' : 'generateContent',
    accept: call.stream ? 'text/event-stream' : 'application/json',
    body: `${prompt.text.slice(0, -1)},"generationConfig":${configText(chatCall, prompt, target)}}`,
  });
}

/** Throws GatewayError as `buildChatRequest` does. */
export function measureChatPrompt(call: Call, deployment: Deployment): PromptSize {
  const chatCall = asChatCall(call);
  const prompt = writtenPrompts.peek(chatCall, deployment);
  const config = configText(chatCall, prompt, { deployment, outputCap: 1 });
  return { bytes: Buffer.byteLength(prompt.text) + Buffer.byteLength(config), hasLongMedia: prompt.hasLongMedia };
}

/** Only calls to chat models get here, and their endpoint has read them as such. */
function asChatCall(call: Call): ChatCall {
  return call as ChatCall;
}

function configText(
  { body, n }: ChatCall,
  { responseFormat }: WrittenPrompt,
  { deployment, outputCap }: Pick<UpstreamTarget, 'deployment' | 'outputCap'>,
): string {
  const control = deployment.provider.quirks.reasoningControl ?? 'budget';
  return JSON.stringify(generationConfigOf(body, { responseFormat, outputCap, choices: n, control }));
}

export function geminiRequest(
  { deployment, apiKey }: UpstreamTarget,
  { method, accept, body }: { method: string; accept: string; body: string },
): UpstreamRequest {
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    accept,
    'accept-encoding': 'identity',
  };
  if (apiKey !== undefined) headers['x-goog-api-key'] = apiKey;
  return {
    url: `${withoutTrailingSlashes(deployment.provider.baseUrl)}/models/${encodeURIComponent(deployment.model)}:${method}`,
    headers,
    body,
  };
}
