/** Requests that cost nothing leave nothing in Redis for longer than minutes, whatever Idempotency-Keys they use. */
import { afterAll, expect, test } from 'bun:test';
import { guardTimeoutMs, waitFor } from '../../harness/account-view.ts';
import { startGateway } from '../../harness/gateway.ts';
import { failWith } from '../../harness/providers/scripted-provider.ts';

const { harness, provider, proxy, stop } = await startGateway();
provider.on('upstream-chat', failWith(400, 'No.'));

afterAll(stop);

test('requests with an Idempotency-Key that a provider refuses leave nothing after ten minutes', async () => {
  const { proxyKey } = await harness.createCustomer({ usd: '1' });
  const known = new Set(await harness.redis.keys('*'));
  const statuses = await Promise.all(
    Array.from({ length: 40 }, async (_, index) => {
      const response = await fetch(`${proxy.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${proxyKey}`, 'idempotency-key': `use-${index}` },
        body: JSON.stringify({ model: 'test/chat', messages: [{ role: 'user', content: 'Hello?' }] }),
      });
      return response.status;
    }),
  );
  expect(new Set(statuses)).toEqual(new Set([400]));
  await waitFor('the releases', guardTimeoutMs, async () => (await harness.redis.keys('{s*}:once:*')).length === 0);
  const left = (await harness.redis.keys('*')).filter((name) => !known.has(name));
  expect(left).toHaveLength(40);
  for (const name of left) {
    expect(name).toMatch(/^\{s\d+\}:request:/);
    expect(await harness.redis.ttl(name)).toBeWithin(1, 601);
  }
});

test('the Idempotency-Key of a refused request can be used again, even with another body', async () => {
  const { proxyKey } = await harness.createCustomer({ usd: '1' });
  const requestsBefore = provider.requests.length;
  const ask = async (content: string) => {
    const response = await fetch(`${proxy.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${proxyKey}`, 'idempotency-key': 'one' },
      body: JSON.stringify({ model: 'test/chat', messages: [{ role: 'user', content }] }),
    });
    return response.status;
  };
  expect(await ask('Hello?')).toBe(400);
  expect(await ask('Good morning?')).toBe(400);
  expect(provider.requests).toHaveLength(requestsBefore + 2);
});
