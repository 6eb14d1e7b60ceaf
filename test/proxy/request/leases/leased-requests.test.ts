/** Requests that begin from leases, through the real proxy: of every API format, and what happens to the lease with them. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { recallChannel } from '../../../../shared/wallet/lease.ts';
import { shardOfAccount } from '../../../../shared/wallet/shard.ts';
import { guardTimeoutMs, readLedger, waitFor } from '../../../harness/account-view.ts';
import { spentAtRest, violationsAtRest } from '../../../harness/books.ts';
import { chat } from '../../../harness/clients/chat.ts';
import type { Customer } from '../../../harness/customers.ts';
import { type Gateway, startGateway } from '../../../harness/gateway.ts';
import type { Served } from '../../../harness/programs.ts';
import { streamedResponse, wholeResponse, writtenResponse } from '../../../harness/providers/scripted-provider.ts';
import { readLeased, readMetric } from '../../../harness/read-metric.ts';
import { isHeld } from '../../../harness/wallet/is-held.ts';

/** 9 tokens at 0.6 and 5 at 1.8 micro-dollars. */
const costNano = 14_400n;

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
  answerUsually();
});
afterAll(() => gateway.stop());

function answerUsually(): void {
  gateway.provider.on('upstream-chat', (truth, request) =>
    truth.body.stream === true
      ? streamedResponse({ tokens: 5, promptTokens: 9, usage: true })(truth, request)
      : wholeResponse({ usage: { promptTokens: 9, completionTokens: 5 } })(truth, request),
  );
}

/** Makes requests one after the other until one has begun from a lease; returns how many there were. */
async function untilLeased(proxy: Served, ask: () => Promise<Response>): Promise<number> {
  const before = await readLeased(proxy);
  let requests = 0;
  await waitFor('a request from a lease', guardTimeoutMs, async () => {
    const response = await ask();
    expect([response.status, await response.text()]).toEqual([200, expect.any(String)]);
    requests += 1;
    return (await readLeased(proxy)) > before;
  });
  return requests;
}

const post = ({ proxyKey }: Customer, path: string, body: object, headers: Readonly<Record<string, string>> = {}) =>
  fetch(`${gateway.proxy.url}/v1${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${proxyKey}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ model: 'test/chat', ...body }),
  });

const messages = [{ role: 'user', content: 'Hello?' }];
const formats = {
  'Chat Completions': (customer: Customer, stream: boolean) =>
    post(customer, '/chat/completions', { messages, max_tokens: 10, stream }),
  Messages: (customer: Customer, stream: boolean) => post(customer, '/messages', { messages, max_tokens: 10, stream }),
  Responses: (customer: Customer, stream: boolean) =>
    post(customer, '/responses', { input: 'Hello?', max_output_tokens: 16, stream }),
};

describe.each(Object.entries(formats))('%s', (_format, ask) => {
  test.each([
    ['whole', false],
    ['streamed', true],
  ])('a %s response is charged exactly', async (_kind, stream) => {
    const { harness, proxy } = gateway;
    const customer = await harness.createCustomer({ usd: '5' });
    const requests = await untilLeased(proxy, () => ask(customer, stream));
    expect(await spentAtRest(harness, customer.accountId)).toBe(BigInt(requests) * costNano);
    expect(await violationsAtRest(harness, [customer.accountId])).toEqual([]);
  });
});

test('a request with an Idempotency-Key is reserved, so that its repetition finds it', async () => {
  const { harness, proxy } = gateway;
  const customer = await harness.createCustomer({ usd: '5' });
  const requests = await untilLeased(proxy, () => formats.Responses(customer, false));
  const reserved = await readMetric(proxy, 'gateway_begun_requests_total{from="wallet"}');
  const once = { 'idempotency-key': crypto.randomUUID() };
  const bodies = [];
  for (let time = 0; time < 2; time += 1) {
    const response = await post(customer, '/chat/completions', { messages, max_tokens: 10 }, once);
    bodies.push(await response.text());
  }
  expect(bodies[1]).toBe(bodies[0] ?? '');
  expect(await readMetric(proxy, 'gateway_begun_requests_total{from="wallet"}')).toBe(reserved + 1);
  expect(await spentAtRest(harness, customer.accountId)).toBe(BigInt(requests + 1) * costNano);
});

test('a request that takes longer gets a hold of its own', async () => {
  const { harness, proxy, provider } = gateway;
  const customer = await harness.createCustomer({ usd: '5' });
  const requests = await untilLeased(proxy, () => formats.Responses(customer, false));
  const ended = Promise.withResolvers<void>();
  provider.on(
    'upstream-chat',
    writtenResponse(async (to) => {
      to.write('data: {"choices":[{"index":0,"delta":{"content":"word "}}]}\n\n');
      await ended.promise;
      to.write('data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n');
      to.write('data: {"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":5}}\n\ndata: [DONE]\n\n');
    }),
  );
  const leased = await readLeased(proxy);
  const response = await chat(proxy, customer.proxyKey, { model: 'test/chat', max_tokens: 10, stream: true });
  const requestId = response.headers.get('x-request-id') ?? '';
  expect(await readLeased(proxy)).toBe(leased + 1);
  await waitFor('its own hold', guardTimeoutMs, () =>
    isHeld(harness.redis, { requestId, accountId: customer.accountId }),
  );
  ended.resolve();
  expect(await response.text()).toEndWith('data: [DONE]\n\n');
  answerUsually();
  expect(await spentAtRest(harness, customer.accountId)).toBe(BigInt(requests + 1) * costNano);
  expect(await violationsAtRest(harness, [customer.accountId])).toEqual([]);
});

test('a provider that reports more than was held is paid from the balance, and the lease goes on', async () => {
  const { harness, proxy, provider } = gateway;
  const customer = await harness.createCustomer({ usd: '5' });
  const requests = await untilLeased(proxy, () => formats.Responses(customer, false));
  provider.on('upstream-chat', wholeResponse({ usage: { promptTokens: 9, completionTokens: 50_000 } }));
  // More than the lease has: it is at most a 64th of the balance.
  for (let time = 0; time < 3; time += 1) expect((await formats.Messages(customer, false)).status).toBe(200);
  answerUsually();
  const more = await untilLeased(proxy, () => formats.Responses(customer, false));
  const spentNano = BigInt(requests + more) * costNano + 3n * (9n * 600n + 50_000n * 1_800n);
  expect(await spentAtRest(harness, customer.accountId)).toBe(spentNano);
  expect(await violationsAtRest(harness, [customer.accountId])).toEqual([]);
});

test('a recall that cannot be read is ignored', async () => {
  const { harness, proxy } = gateway;
  const customer = await harness.createCustomer({ usd: '5' });
  for (const message of ['{', 'null', '{"account":{}}']) await harness.redis.publish(recallChannel, message);
  await untilLeased(proxy, () => formats.Messages(customer, false));
});

test('headers say what is left of the limits', async () => {
  const { harness, proxy } = gateway;
  const customer = await harness.createCustomer({ usd: '5' });
  let last = new Headers();
  await untilLeased(proxy, async () => {
    const response = await formats.Messages(customer, false);
    last = response.headers;
    return response;
  });
  for (const what of ['requests', 'tokens']) {
    const [limit, left] = ['limit', 'remaining'].map((name) => Number(last.get(`x-ratelimit-${name}-${what}`)));
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThan(limit ?? 0);
    expect(last.get(`x-ratelimit-reset-${what}`)).toMatch(/^\d+(\.\d+)?s$/);
  }
});

test('a proxy that shuts down has returned its leases and told their charges when it ends', async () => {
  const { harness } = gateway;
  const customer = await harness.createCustomer({ usd: '5' });
  const proxy = await harness.openProxy();
  const requests = await untilLeased(proxy, () =>
    chat(proxy, customer.proxyKey, { model: 'test/chat', max_tokens: 10 }),
  );
  await proxy.stop();
  expect((await harness.keeper.readWallet(customer.accountId))?.heldNano).toBe(0n as never);
  const { accountId } = customer;
  expect(await harness.redis.exists(`{s${shardOfAccount(accountId)}}:leases:${accountId}`)).toBe(0);
  await waitFor('the ledger', guardTimeoutMs, async () => {
    const { spentNano } = await readLedger(harness, accountId);
    return spentNano === BigInt(requests) * costNano;
  });
});
