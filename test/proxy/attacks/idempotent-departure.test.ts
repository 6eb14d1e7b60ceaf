/** A client whose connection broke can repeat its request with the same Idempotency-Key. */
import { afterAll, expect, test } from 'bun:test';
import { guardTimeoutMs, waitFor } from '../../harness/account-view.ts';
import { startGateway } from '../../harness/gateway.ts';
import { type Behaviour, failWith, wholeResponse } from '../../harness/providers/scripted-provider.ts';

const { harness, provider, proxy, stop } = await startGateway();

afterAll(stop);

const responded = wholeResponse({ content: 'Here.', usage: { promptTokens: 8, completionTokens: 2 } });

/**
 * Leaves while the provider works, which then behaves as `ending`. Returns a function that sends the same request
 * again.
 */
async function leaveBefore(ending: Behaviour): Promise<() => Promise<Response>> {
  const { proxyKey, accountId } = await harness.createCustomer({ usd: '1' });
  const ask = (signal?: AbortSignal) =>
    fetch(`${proxy.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${proxyKey}`, 'idempotency-key': 'once' },
      body: JSON.stringify({ model: 'test/chat', messages: [{ role: 'user', content: 'Hello?' }] }),
      ...(signal && { signal }),
    });
  const requestsBefore = provider.requests.length;
  const left = Promise.withResolvers<void>();
  provider.on('upstream-chat', async (truth, request) => {
    await left.promise;
    return ending(truth, request);
  });
  const leaving = new AbortController();
  const first = ask(leaving.signal);
  await waitFor('the request upstream', guardTimeoutMs, async () => provider.requests.length > requestsBefore);
  leaving.abort();
  await expect(first).rejects.toThrow();
  left.resolve();
  await waitFor('the end', guardTimeoutMs, async () => (await harness.keeper.readWallet(accountId))?.heldNano === 0n);
  return ask;
}

test('a client that left before the response gets it by repeating the request with its Idempotency-Key', async () => {
  const ask = await leaveBefore(responded);
  const requestsBefore = provider.requests.length;
  const again = await ask();
  expect(again.headers.get('idempotent-replayed')).toBe('true');
  expect(await again.text()).toContain('Here.');
  expect(provider.requests.length).toBe(requestsBefore);
});

test('a request that failed after its client had left runs again with its Idempotency-Key', async () => {
  const ask = await leaveBefore(failWith(500, 'down'));
  provider.on('upstream-chat', responded);
  const second = await ask();
  expect(second.status).toBe(200);
  const text = await second.text();
  expect(text).toContain('Here.');
  // From now on, this response is replayed.
  const third = await ask();
  expect(third.headers.get('idempotent-replayed')).toBe('true');
  expect(await third.text()).toBe(text);
});
