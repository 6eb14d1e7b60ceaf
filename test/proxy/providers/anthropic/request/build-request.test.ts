/** Where and how Anthropic is asked. */
import { describe, expect, test } from 'bun:test';
import { buildMessagesRequest } from '../../../../../proxy/providers/anthropic/request/build-request.ts';
import { chatCall, target, upstreamBody } from '../chat-call.ts';

describe('address, headers and what decides the cost', () => {
  test('the provider is asked at /messages with its key and version', () => {
    const { url, headers } = buildMessagesRequest(chatCall(), target({ apiKey: 'sk-ant' }));
    expect(url).toBe('https://anthropic.test/v1/messages');
    expect(headers).toMatchObject({
      'x-api-key': 'sk-ant',
      'anthropic-version': '2023-06-01',
      'content-type': 'application/json',
    });
    expect(headers.authorization).toBeUndefined();
    expect(buildMessagesRequest(chatCall(), target()).headers['x-api-key']).toBeUndefined();
  });

  test('a plain question becomes the least request, with the cap that the hold covers', () => {
    expect(upstreamBody({ max_tokens: 100_000, max_completion_tokens: 50_000 }, { outputCap: 77 })).toEqual({
      model: 'claude-upstream',
      max_tokens: 77,
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello?' }] }],
    });
    expect(upstreamBody({ stream: true, stream_options: { include_usage: true } })).toMatchObject({ stream: true });
  });

  test('nothing that we do not know reaches the provider', () => {
    const extra = { anything: 'c', mcp_servers: [], thinking: { type: 'adaptive' } };
    expect(upstreamBody({ ...extra, seed: 7, n: 1, store: true })).toEqual(upstreamBody({}));
  });
});
