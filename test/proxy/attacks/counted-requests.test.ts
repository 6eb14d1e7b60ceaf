/** Requests that cost nothing still count: no key exceeds its limit of requests per minute with them. */
import { afterAll, describe, expect, test } from 'bun:test';
import { startGateway } from '../../harness/gateway.ts';
import { wholeResponse } from '../../harness/providers/scripted-provider.ts';

/** One more request every 20 seconds, so that time plays no part in a test. */
const requestsPerMinute = 3;
const { harness, provider, proxy, stop } = await startGateway({
  proxyEnvironment: { RATE_LIMIT_REQUESTS_PER_MINUTE: String(requestsPerMinute) },
});
provider.on('upstream-chat', wholeResponse({ content: 'Here.', usage: { promptTokens: 8, completionTokens: 2 } }));

afterAll(stop);

const conversation = { model: 'test/chat', messages: [{ role: 'user', content: 'Hello?' }] };

interface Way {
  readonly path: string;
  readonly method?: 'GET';
  readonly headers?: Record<string, string>;
  /** The status until the limit is reached. */
  readonly status: number;
  readonly usd: string;
}

const ways: Record<string, Way> = {
  'repetitions of an Idempotency-Key': {
    path: '/v1/chat/completions',
    headers: { 'idempotency-key': 'again' },
    status: 200,
    usd: '1',
  },
  quotes: { path: '/v1/quote', status: 200, usd: '1' },
  'quotes that are not affordable': { path: '/v1/quote', status: 200, usd: '0' },
  'token counts': { path: '/v1/messages/count_tokens', status: 200, usd: '1' },
  'questions about the key': { path: '/v1/key', method: 'GET', status: 200, usd: '1' },
  'questions about the balance': { path: '/v1/credits', method: 'GET', status: 200, usd: '0' },
  'requests that the balance does not cover': { path: '/v1/chat/completions', status: 403, usd: '0' },
};

describe(`${requestsPerMinute} of ${2 * requestsPerMinute} concurrent requests are served, and the others limited, for`, () => {
  for (const [name, { path, method = 'POST', headers, status, usd }] of Object.entries(ways)) {
    test(name, async () => {
      const { proxyKey, accountId } = await harness.createCustomer({ usd });
      await harness.openWallet(accountId);
      const ask = () =>
        fetch(`${proxy.url}${path}`, {
          method,
          headers: { authorization: `Bearer ${proxyKey}`, ...headers },
          ...(method === 'POST' && { body: JSON.stringify(conversation) }),
        });
      const first = await ask();
      const rest = await Promise.all(Array.from({ length: 2 * requestsPerMinute - 1 }, ask));
      const statuses = [first, ...rest].map((response) => response.status).sort();
      const refused = Array.from({ length: requestsPerMinute }, () => 429);
      expect(statuses).toEqual([...Array.from({ length: requestsPerMinute }, () => status), ...refused]);

      const last = await ask();
      expect(Number(last.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(last.headers.get('x-ratelimit-limit-requests')).toBe(String(requestsPerMinute));
      expect(last.headers.get('x-ratelimit-remaining-requests')).toBe('0');
      expect((await last.json()) as object).toMatchObject({ error: { type: 'rate_limit_error' } });
    });
  }
});

test('requests to different endpoints count towards the same limit', async () => {
  const { proxyKey } = await harness.createCustomer({ usd: '1' });
  const paths = ['/v1/quote', '/v1/messages/count_tokens', '/v1/chat/completions'];
  const left: (string | null)[] = [];
  for (const path of [...paths, ...paths]) {
    const response = await fetch(`${proxy.url}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${proxyKey}` },
      body: JSON.stringify(conversation),
    });
    left.push(response.headers.get('x-ratelimit-remaining-requests'));
  }
  expect(left).toEqual(['2', '1', '0', '0', '0', '0']);
});
