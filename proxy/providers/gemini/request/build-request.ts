/**
 * Translates a chat completion request to generateContent. The body is built from known members only, so nothing
 * unknown in the client's request reaches the provider.
 */
import { withoutTrailingSlashes } from '../../../../shared/http/base-url.ts';
import type { ChatCall } from '../../../nouns/call.ts';
import type { Deployment } from '../../../pricing/catalogue.ts';
import type { PromptSize, UpstreamRequest, UpstreamTarget } from '../../adapter.ts';
import { generationConfigOf } from './generation-config.ts';
import { type WrittenPrompt, writtenPrompts } from './written-prompt.ts';

/** Throws GatewayError for what Gemini does not support. */
export function buildChatRequest(call: ChatCall, target: UpstreamTarget): UpstreamRequest {
  const prompt = writtenPrompts.take(call, target.deployment);
  return geminiRequest(target, {
    method: call.stream ? 'streamGenerateContent?alt=sse' : 'generateContent',
    accept: call.stream ? 'text/event-stream' : 'application/json',
    body: `${prompt.text.slice(0, -1)},"generationConfig":${configText(call, prompt, target)}}`,
  });
}

/** Throws GatewayError as `buildChatRequest` does. */
export function measureChatPrompt(call: ChatCall, deployment: Deployment): PromptSize {
  const prompt = writtenPrompts.peek(call, deployment);
  const config = configText(call, prompt, { deployment, outputCap: 1 });
  return { bytes: Buffer.byteLength(prompt.text) + Buffer.byteLength(config), hasLongMedia: prompt.hasLongMedia };
}

function configText(
  { body, n }: ChatCall,
  { responseFormat }: WrittenPrompt,
  { deployment, outputCap }: Pick<UpstreamTarget, 'deployment' | 'outputCap'>,
): string {
  const { model, provider } = deployment;
  const control = provider.quirks.reasoningControl ?? 'budget';
  return JSON.stringify(generationConfigOf(body, { responseFormat, outputCap, choices: n, control, model }));
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
