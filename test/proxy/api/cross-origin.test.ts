/** Pages of any origin can call /v1 with a key; operational routes are not open to them. */
import { afterAll, describe, expect, test } from 'bun:test';
import { startGateway } from '../../harness/gateway.ts';
import { streamedResponse } from '../../harness/providers/scripted-provider.ts';

const { harness, provider, proxy, stop } = await startGateway();
const customer = await harness.createCustomer({ usd: '5' });
afterAll(stop);

const origin = 'https://page.example';

test.each(['/v1/chat/completions', '/v1/models/test/chat', '/v1/quote'])(
  'a preflight allows a key and JSON: %s',
  async (path) => {
    const response = await fetch(`${proxy.url}${path}`, {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization,content-type,x-stainless-lang',
      },
    });
    expect(response.status).toBe(204);
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    expect(response.headers.get('access-control-allow-methods')).toBe('GET, POST, DELETE');
    // https://fetch.spec.whatwg.org/#cors-non-wildcard-request-header-name
    expect(response.headers.get('access-control-allow-headers')).toBe('authorization, *');
    expect(response.headers.get('access-control-allow-credentials')).toBeNull();
    expect(response.headers.get('x-request-id')).toBeTruthy();
  },
);

describe('a page of another origin', () => {
  const ask = (path: string, init: RequestInit = {}) => fetch(`${proxy.url}${path}`, { headers: { origin }, ...init });
  const readable = ({ headers }: Response) => [
    headers.get('access-control-allow-origin'),
    headers.get('access-control-expose-headers'),
  ];

  test('can read responses, even from a cache, and errors', async () => {
    const models = await ask('/v1/models');
    const etag = models.headers.get('etag') ?? '';
    const unchanged = await ask('/v1/models', { headers: { origin, 'if-none-match': etag } });
    expect(unchanged.status).toBe(304);
    const refused = await ask('/v1/chat/completions', { method: 'POST', body: '{}' });
    expect(refused.status).toBe(401);
    const unknown = await ask('/v1/nothing');
    expect(unknown.status).toBe(404);
    const document = await ask('/v1/openapi.json');
    for (const response of [models, unchanged, refused, unknown, document])
      expect(readable(response)).toEqual(['*', '*']);
  });

  test('can read streams', async () => {
    provider.on('upstream-chat', streamedResponse({ tokens: 2 }));
    const response = await ask('/v1/chat/completions', {
      method: 'POST',
      headers: { origin, authorization: `Bearer ${customer.proxyKey}` },
      body: JSON.stringify({ model: 'test/chat', stream: true, messages: [{ role: 'user', content: 'Hello?' }] }),
    });
    expect(readable(response)).toEqual(['*', '*']);
    expect(await response.text()).toContain('[DONE]');
  });

  test('is the only caller that gets CORS headers, and caches vary by origin', async () => {
    const response = await fetch(`${proxy.url}/v1/models`);
    expect(readable(response)).toEqual([null, null]);
    expect(response.headers.get('vary')).toBe('origin');
    const ofPage = await ask('/v1/models');
    expect(ofPage.headers.get('vary')).toBe('origin');
  });

  test.each(['/healthz', '/readyz', '/metrics'])('cannot read %s', async (path) => {
    expect(readable(await ask(path))).toEqual([null, null]);
  });
});
