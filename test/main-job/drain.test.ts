/** A proxy that shuts down: running requests may finish, and the rest are ended and charged exactly. */
import { afterAll, expect, test } from 'bun:test';
import { guardTimeoutMs, waitFor } from '../harness/account-view.ts';
import { spentAtRest } from '../harness/books.ts';
import { chat, errorCodeOf } from '../harness/clients/chat.ts';
import { startGateway } from '../harness/gateway.ts';
import type { Program } from '../harness/programs.ts';
import { hang, streamedResponse } from '../harness/providers/scripted-provider.ts';

const { harness, provider, stop } = await startGateway();

afterAll(stop);

/** 10 micro-dollars. */
const tokenNano = 10_000n;
const streamed = { model: 'test/priced-output', stream: true, max_tokens: 2_000 };
const tokensIn = (text: string) => BigInt([...text.matchAll(/"content":"\d/g)].length);

/** Resolves when the proxy accepts no new requests. */
async function tellToEnd(proxy: Program): Promise<void> {
  process.kill(proxy.pid, 'SIGTERM');
  await waitFor('the end of new requests', guardTimeoutMs, async () => {
    const status = await fetch(`${proxy.url}/readyz`).then(
      (response) => response.status,
      () => 'refused',
    );
    return status !== 200;
  });
}

test('a stream that finishes within the grace is complete, and then the proxy exits immediately', async () => {
  const proxy = await harness.startProxy({ SHUTDOWN_GRACE_SECONDS: '3600' });
  const customer = await harness.createCustomer({ usd: '1' });
  const released = Promise.withResolvers<void>();
  provider.on('upstream-priced', async (truth, request) => {
    await released.promise;
    return streamedResponse({ tokens: 20, delayMs: 5 })(truth, request);
  });
  const requestsBefore = provider.requests.length;
  const response = chat(proxy, customer.proxyKey, streamed);
  await waitFor('the request upstream', guardTimeoutMs, async () => provider.requests.length === requestsBefore + 1);

  await tellToEnd(proxy);
  released.resolve();
  const whole = await (await response).text();
  expect(whole).toEndWith('data: [DONE]\n\n');
  expect(tokensIn(whole)).toBe(20n);
  expect(await proxy.exited).toBe('exit code 0');
  expect(await spentAtRest(harness, customer.accountId)).toBe(20n * tokenNano);
});

test('a stream ends with shutting_down after the grace, and an unstarted response is a free 503', async () => {
  const proxy = await harness.startProxy({ SHUTDOWN_GRACE_SECONDS: '1' });
  const [endless, waiting] = await Promise.all([1, 2].map(() => harness.createCustomer({ usd: '1' })));
  if (!endless || !waiting) throw new Error('there are not two customers');
  provider.on('upstream-priced', streamedResponse({ tokens: 2_000, delayMs: 50 }));
  provider.on('upstream-chat', hang);
  const requestsBefore = provider.requests.length;
  const long = await chat(proxy, endless.proxyKey, streamed);
  const unbegun = chat(proxy, waiting.proxyKey, { model: 'test/chat' });
  await waitFor('two requests upstream', guardTimeoutMs, async () => provider.requests.length === requestsBefore + 2);

  await tellToEnd(proxy);
  const [cut, refused] = await Promise.all([long.text(), unbegun]);
  expect(cut).not.toContain('[DONE]');
  const last = cut.trim().split('\n\n').at(-1) ?? '';
  expect(JSON.parse(last.replace('data: ', ''))).toMatchObject({
    error: { code: 'shutting_down', type: 'service_unavailable_error' },
  });
  expect(refused.status).toBe(503);
  expect(refused.headers.get('retry-after')).toBe('1');
  expect(await errorCodeOf(refused)).toBe('shutting_down');
  await waitFor(
    'the aborts upstream',
    5_000,
    async () => provider.requests.filter(({ aborted }) => aborted).length === 2,
  );
  expect(await proxy.exited).toBe('exit code 0');

  expect(await spentAtRest(harness, endless.accountId)).toBe(tokensIn(cut) * tokenNano);
  expect(await spentAtRest(harness, waiting.accountId)).toBe(0n);
});
