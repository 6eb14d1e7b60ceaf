/** The shortest reproduction of a violation that chaos found: a prompt was charged that no provider had received. */
import { afterAll, expect, test } from 'bun:test';
import { shardOfAccount } from '../../shared/wallet/shard.ts';
import { guardTimeoutMs, readLedger, waitFor } from '../harness/account-view.ts';
import { violationsAtRest } from '../harness/books.ts';
import { chat } from '../harness/clients/chat.ts';
import { startGateway } from '../harness/gateway.ts';
import { failWith } from '../harness/providers/scripted-provider.ts';

const { harness, provider, admin, proxy, stop } = await startGateway();

afterAll(stop);

test('a client that leaves before any provider is called is charged nothing, and none is called', async () => {
  const customer = await harness.createCustomer({ usd: '1' });
  provider.on('upstream-chat', failWith(503, 'busy'));
  // Writes wait, so the client is gone before its money is held.
  await harness.redis.call('CLIENT', 'PAUSE', '60000', 'WRITE');
  const leaving = new AbortController();
  const asking = chat(proxy, customer.proxyKey, { model: 'test/chat', max_tokens: 10 }, { signal: leaving.signal });
  await waitFor('the reserve to wait', guardTimeoutMs, async () =>
    / flags=\w*b.* cmd=evalsha/.test(String(await harness.redis.call('CLIENT', 'LIST'))),
  );
  leaving.abort();
  await asking.catch(() => {});
  await harness.redis.call('CLIENT', 'UNPAUSE');
  const requests = `{s${shardOfAccount(customer.accountId)}}:request:*`;
  await waitFor('the end of the request', guardTimeoutMs, async () => {
    const [request] = await harness.redis.keys(requests);
    return request !== undefined && (await harness.redis.get(request)) === 'void';
  });
  expect(await violationsAtRest(harness, [customer.accountId])).toEqual([]);
  const { spentNano } = await readLedger(harness, customer.accountId);
  await Promise.all([admin.stop(), proxy.stop()]);
  expect(spentNano).toBe(0n);
  expect(provider.requests).toHaveLength(0);
});
