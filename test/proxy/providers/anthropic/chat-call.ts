/** Calls and targets as the relay passes them to the adapter. */
import type { ChatCall } from '../../../../proxy/nouns/call.ts';
import type { UpstreamTarget } from '../../../../proxy/providers/adapter.ts';
import { buildMessagesRequest } from '../../../../proxy/providers/anthropic/request/build-request.ts';
import type { PublishedProvider } from '../../../../shared/catalogue/published-catalogue.ts';
import { parseChatCompletion } from '../../api/parse.ts';

type Fields = Readonly<Record<string, unknown>>;
type Quirks = PublishedProvider['quirks'];

/** A call with these parameters, and with a default message if there are none. */
export function chatCall(fields: Fields = {}): ChatCall {
  const body = { model: 'test/claude', messages: [{ role: 'user', content: 'Hello?' }], ...fields };
  return parseChatCompletion(JSON.stringify(body));
}

export function target(options: { outputCap?: number; quirks?: Quirks; apiKey?: string } = {}): UpstreamTarget {
  return {
    apiKey: options.apiKey,
    outputCap: options.outputCap ?? 4096,
    deployment: {
      name: 'anthropic/claude-upstream',
      provider: {
        id: 'anthropic',
        protocol: 'anthropic',
        baseUrl: 'https://anthropic.test/v1',
        apiKeyEnv: '',
        quirks: options.quirks ?? {},
      },
      model: 'claude-upstream',
      priority: 1,
      weight: 1,
      onDisconnect: 'abort',
    },
  };
}

export const { deployment: anthropicDeployment } = target();

/** The body that the provider receives. */
export function upstreamBody(fields: Fields, options: Parameters<typeof target>[0] = {}): Record<string, unknown> {
  return JSON.parse(String(buildMessagesRequest(chatCall(fields), target(options)).body));
}

export const user = (content: unknown, extra: object = {}) => ({ role: 'user', content, ...extra });
export const assistant = (content: unknown, extra: object = {}) => ({ role: 'assistant', content, ...extra });
export const toolCall = (id: string, name: string, args: string) => ({
  id,
  type: 'function',
  function: { name, arguments: args },
});
export const weather = {
  type: 'function',
  function: {
    name: 'weather',
    description: 'The weather of a place',
    parameters: { type: 'object', properties: { place: { type: 'string' } } },
    strict: true,
  },
};
export const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
export const jsonSchema = { type: 'json_schema', json_schema: { name: 'answer', schema, strict: true } };
export const ephemeral = { type: 'ephemeral' };
