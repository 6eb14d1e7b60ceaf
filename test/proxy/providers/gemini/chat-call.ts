/** Calls and targets for tests of the Gemini adapter. */
import type { CallOf, ChatCall } from '../../../../proxy/nouns/call.ts';
import type { Operation, UpstreamTarget } from '../../../../proxy/providers/adapter.ts';
import { operationOf } from '../../../../proxy/providers/adapters.ts';
import type { PublishedProvider } from '../../../../shared/catalogue/published-catalogue.ts';
import { GatewayError } from '../../../../shared/errors.ts';
import { parseChatCompletion } from '../../api/parse.ts';

export const chat = operation('chat');
export const embedding = operation('embedding');

function operation<Kind extends 'chat' | 'embedding'>(kind: Kind): Operation<CallOf<Kind>> {
  const found = operationOf('gemini', kind);
  if (found === undefined) throw new Error(`Gemini does not serve ${kind}`);
  // It is only given calls of its own kind.
  return found as Operation<CallOf<Kind>>;
}

export function chatCall(body: object = {}): ChatCall {
  return parseChatCompletion(
    JSON.stringify({ model: 'test/gemini', messages: [{ role: 'user', content: 'Hello?' }], ...body }),
  );
}

export function targetOf(
  model = 'gemini-2.5-flash',
  outputCap = 2048,
  quirks: PublishedProvider['quirks'] = {},
): UpstreamTarget {
  const provider = {
    id: 'google',
    protocol: 'gemini' as const,
    baseUrl: 'http://127.0.0.1:1/v1beta',
    apiKeyEnv: 'GEMINI_API_KEY',
    quirks,
  };
  const deployment = {
    name: `google/${model}`,
    provider,
    model,
    priority: 1,
    weight: 1,
    onDisconnect: 'drain' as const,
  };
  return { deployment, apiKey: 'secret', outputCap };
}

/** The body that is sent to the provider for this request. */
export function sent(body: object, target: UpstreamTarget = targetOf()): Record<string, unknown> {
  return JSON.parse(String(chat.buildRequest(chatCall(body), target).body));
}

/** The code and parameter with which this request is refused. */
export function refusal(body: object): { code: string; param: string | null } {
  try {
    chat.buildRequest(chatCall(body), targetOf());
  } catch (error) {
    if (error instanceof GatewayError) return { code: error.code, param: error.param };
    throw error;
  }
  throw new Error('was not refused');
}
