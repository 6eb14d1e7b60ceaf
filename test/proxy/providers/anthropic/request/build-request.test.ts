/** The URL, headers and cost-relevant parameters of requests to Anthropic. */
import { describe, expect, test } from 'bun:test';
import { buildMessagesRequest } from '../../../../../proxy/providers/anthropic/request/build-request.ts';
import { chatCall, target, upstreamBody } from '../chat-call.ts';

describe('a request to Anthropic', () => {
  test('goes to /messages with the key and version', () => {
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

  test('has only the necessary members for a plain question, and the cap of the hold', () => {
    expect(upstreamBody({ max_tokens: 100_000, max_completion_tokens: 50_000 }, { outputCap: 77 })).toEqual({
      model: 'claude-upstream',
      max_tokens: 77,
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello?' }] }],
    });
    expect(upstreamBody({ stream: true, stream_options: { include_usage: true } })).toMatchObject({ stream: true });
  });

  test('has only members that the gateway knows', () => {
    const extra = { anything: 'c', mcp_servers: [], thinking: { type: 'adaptive' } };
    expect(upstreamBody({ ...extra, seed: 7, n: 1, store: true })).toEqual(upstreamBody({}));
  });
});
