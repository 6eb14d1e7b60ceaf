/** A client whose connection broke can repeat its request with the same Idempotency-Key. */
import { afterAll, expect, test } from 'bun:test';
import { guardTimeoutMs, waitFor } from '../../harness/account-view.ts';
import { startGateway } from '../../harness/gateway.ts';
import { answerWhole, hang } from '../../harness/providers/scripted-provider.ts';

const { harness, provider, proxy, stop } = await startGateway();

afterAll(stop);

test('a request whose client left before the answer can be repeated with its Idempotency-Key', async () => {
  const { proxyKey, accountId } = await harness.createCustomer({ usd: '1' });
  const ask = (signal?: AbortSignal) =>
    fetch(`${proxy.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${proxyKey}`, 'idempotency-key': 'once' },
      body: JSON.stringify({ model: 'test/chat', messages: [{ role: 'user', content: 'Hello?' }] }),
      ...(signal && { signal }),
    });
  const asked = provider.requests.length;
  provider.on('upstream-chat', hang);
  const leaving = new AbortController();
  const first = ask(leaving.signal);
  await waitFor('the request upstream', guardTimeoutMs, async () => provider.requests.length > asked);
  leaving.abort();
  await expect(first).rejects.toThrow();
  await waitFor('the settle', 5_000, async () => {
    const wallet = await harness.keeper.readWallet(accountId);
    return wallet?.heldNano === 0n && wallet.availableNano < 1_000_000_000n;
  });

  provider.on('upstream-chat', answerWhole({ content: 'Here.', usage: { promptTokens: 8, completionTokens: 2 } }));
  const second = await ask();
  expect(second.status).toBe(200);
  const text = await second.text();
  expect(text).toContain('Here.');
  // From now on, this answer is replayed.
  const third = await ask();
  expect(third.headers.get('idempotent-replayed')).toBe('true');
  expect(await third.text()).toBe(text);
});
