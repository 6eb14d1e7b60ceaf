/** Errors reach Anthropic's own client as its error classes, and its retries work. */
import { afterAll, expect, test } from 'bun:test';
import Anthropic from '@anthropic-ai/sdk';
import { guardTimeoutMs, waitFor } from '../../harness/account-view.ts';
import { startGateway } from '../../harness/gateway.ts';
import { failWith, hang, streamedResponse } from '../../harness/providers/scripted-provider.ts';
import { clientOf, costNano, messageResponse, request, spentAtRest, startCustomer } from './anthropic-clients.ts';

const gateway = await startGateway({ proxyEnvironment: { MAX_BODY_BYTES: '100000' } });
const { harness, provider, proxy, stop } = gateway;

afterAll(stop);

async function failureOf(client: Anthropic, members: object = {}): Promise<unknown> {
  return client.messages.create({ ...request, ...members }).then(
    () => 'an answer',
    (error: unknown) => error,
  );
}

test.each([
  ['a wrong parameter', { temperature: 2 }, Anthropic.BadRequestError, 'invalid_request_error', 'invalid_parameter'],
  ['an unknown model', { model: 'test/none' }, Anthropic.NotFoundError, 'not_found_error', 'model_not_found'],
  ['too large a body', { system: 'x'.repeat(200_000) }, Anthropic.APIError, 'request_too_large', 'body_too_large'],
] as const)('the client raises its error class for %s', async (_name, members, errorClass, type, code) => {
  const { client } = await startCustomer(gateway);
  const failure = await failureOf(client, members);
  expect(failure).toBeInstanceOf(errorClass);
  expect(failure).toMatchObject({
    type,
    requestID: expect.any(String),
    error: { type: 'error', error: { type, code } },
  });
});

test('an invalid key and an insufficient balance raise the right errors', async () => {
  const unknown = await failureOf(clientOf(proxy.url, 'ms-nonsense'));
  expect(unknown).toBeInstanceOf(Anthropic.AuthenticationError);
  expect(unknown).toMatchObject({ status: 401, type: 'authentication_error' });

  const { client } = await startCustomer(gateway, '0.00001');
  const poor = await failureOf(client);
  expect(poor).toBeInstanceOf(Anthropic.PermissionDeniedError);
  expect(poor).toMatchObject({ status: 403, type: 'billing_error' });
});

test('a failing provider costs nothing, and the client retries', async () => {
  const { customer, client } = await startCustomer(gateway);
  provider.on('upstream-chat', failWith(500, 'down'));
  const failure = await failureOf(client);
  expect(failure).toBeInstanceOf(Anthropic.InternalServerError);
  expect(failure).toMatchObject({ status: 502, type: 'api_error' });

  const requestsBefore = provider.requests.length;
  const recover = messageResponse({ content: 'Hi.' });
  provider.on('upstream-chat', (truth, incoming) => {
    const isFirst = provider.requests.length === requestsBefore + 1;
    return isFirst ? failWith(429, 'too many')(truth, incoming) : recover(truth, incoming);
  });
  const message = await clientOf(proxy.url, customer.proxyKey, { maxRetries: 2 }).messages.create(request);
  expect<unknown>(message.content).toEqual([{ type: 'text', text: 'Hi.' }]);
  expect(provider.requests.length).toBe(requestsBefore + 2);
  expect(await spentAtRest(gateway, customer)).toBe(costNano);
});

test('a rate limit of the gateway raises RateLimitError, and a later retry succeeds', async () => {
  const customer = await harness.createCustomer({ usd: '1' });
  const { url } = await harness.openProxy({ RATE_LIMIT_CONCURRENT_STREAMS: '1' });
  provider.on('upstream-chat', streamedResponse({ tokens: 10_000, delayMs: 5 }));
  const first = await clientOf(url, customer.proxyKey).messages.create({ ...request, stream: true });
  // Kept until the end of the test: what nobody refers to is collected, and with it the connection may be closed.
  const events = first[Symbol.asyncIterator]();
  expect((await events.next()).done).toBe(false);

  const refused = await clientOf(url, customer.proxyKey)
    .messages.create({ ...request, stream: true })
    .catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(Anthropic.RateLimitError);
  expect(refused).toMatchObject({ type: 'rate_limit_error', error: { error: { code: 'rate_limit_exceeded' } } });

  const statuses: number[] = [];
  const client = clientOf(url, customer.proxyKey, {
    maxRetries: 5,
    fetch: async (...args) => {
      const response = await fetch(...args);
      statuses.push(response.status);
      if (response.status === 429) {
        provider.on('upstream-chat', streamedResponse({ tokens: 3 }));
        first.controller.abort();
      }
      return response;
    },
  });
  const message = await client.messages.stream(request).finalMessage();
  expect<unknown>(message.content).toEqual([{ type: 'text', text: '000001002' }]);
  expect(statuses[0]).toBe(429);
  expect(statuses.at(-1)).toBe(200);
  await events.return?.();
});

test('a client that does not wait pays no more than the prompt', async () => {
  const { customer, client } = await startCustomer(gateway);
  provider.on('upstream-chat', hang);
  const controller = new AbortController();
  const requestsBefore = provider.requests.length;
  // A whole response would be awaited.
  const response = client.messages
    .create({ ...request, stream: true }, { signal: controller.signal })
    .catch((error: unknown) => error);
  await waitFor('the request upstream', guardTimeoutMs, async () => provider.requests.length > requestsBefore);
  controller.abort();
  expect(await response).toBeInstanceOf(Anthropic.APIUserAbortError);
  await waitFor('the abort upstream', guardTimeoutMs, async () => provider.requests.at(-1)?.aborted === true);
  // "Hello?" is 2 tokens and a chat template adds 6, at 0.60 USD per million.
  expect(await spentAtRest(gateway, customer)).toBe(4_800n);
});
