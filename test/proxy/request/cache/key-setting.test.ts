/**
 * The setting of a key decides what is stored and given again, on every replica and as soon as it is changed; a hit needs all
 * that an ordinary request needs except money, has a receipt, and ends with its account.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { guardTimeoutMs, logIn, waitFor } from '../../../harness/account-view.ts';
import { violationsAtRest } from '../../../harness/books.ts';
import { inCampaign } from '../../../harness/campaigns.ts';
import { type Customer, testPassword } from '../../../harness/customers.ts';
import { type Gateway, startGateway } from '../../../harness/gateway.ts';
import { logInAt } from '../../../harness/log-in-at.ts';
import type { Served } from '../../../harness/programs.ts';
import { failWith, wholeResponse } from '../../../harness/providers/scripted-provider.ts';
import { nextWrite } from './next-write.ts';

const environment = { RATE_LIMIT_REQUESTS_PER_MINUTE: '10000000' };

let gateway: Gateway;
let other: Served;
let customer: Customer;
let prompt: string;
beforeAll(async () => {
  gateway = await startGateway({
    catalogue: (baseUrl) => catalogue(baseUrl),
    proxyEnvironment: environment,
  });
  other = await gateway.harness.openProxy(environment);
});
afterAll(() => gateway.stop());
beforeEach(async () => {
  customer = await gateway.harness.createCustomer({ usd: '5' });
  prompt = crypto.randomUUID();
  for (const model of ['upstream-chat', 'upstream-second'])
    gateway.provider.on(model, wholeResponse({ content: model, usage: { promptTokens: 9, completionTokens: 5 } }));
});

const model = (id: string, upstream: string) => `
  - { id: ${id}, kind: chat, ownedBy: test, contextTokens: 100000, maxOutputTokens: 1000,
      price: { prompt: "1", completion: "2" }, deployments: [{ provider: scripted, model: ${upstream} }] }`;
const catalogue = (
  baseUrl: string,
  models = model('test/chat', 'upstream-chat') + model('test/second', 'upstream-second'),
) => `
providers:
  - { id: scripted, protocol: openai, baseUrl: "${baseUrl}", country: DE, retentionDays: 0, trains: false }
models:${models}
`;

const chat = (more: object = {}) => ({
  model: 'test/chat',
  temperature: 0,
  messages: [{ role: 'user', content: prompt }],
  ...more,
});

function send(body: object, { by = customer.proxyKey, at = gateway.proxy, headers = {} } = {}): Promise<Response> {
  return fetch(`${at.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${by}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
}

type Options = Parameters<typeof send>[1];

/** What `x-cache` says, once a response that is to be stored is stored. */
async function look(body: object, options: Options = {}): Promise<string | null> {
  const isWritten = await nextWrite(options?.at ?? gateway.proxy);
  const response = await send(body, options);
  await response.text();
  expect(response.status).toBe(200);
  const said = response.headers.get('x-cache');
  if (said === 'miss') await isWritten();
  return said;
}

async function call(method: string, path: string, body: object, authorization: string): Promise<unknown> {
  const response = await fetch(`${gateway.admin.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${authorization}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  return response.json();
}

const change = (fields: object) => call('PUT', `/api/keys/${customer.proxyKeyId}`, fields, customer.billingKey);

describe('the setting', () => {
  test('applies on every replica to requests with temperature 0, and ends when it is removed', async () => {
    for (const at of [gateway.proxy, other]) expect(await look(chat(), { at })).toBeNull();
    expect(await change({ cacheSeconds: 60 })).toMatchObject({ cacheSeconds: 60 });
    // The first request of a proxy finds out about the setting.
    for (const at of [gateway.proxy, other]) await send(chat({ seed: 1 }), { at });
    expect(await look(chat())).toBe('miss');
    for (const at of [gateway.proxy, other]) expect(await look(chat(), { at })).toBe('hit');
    expect(await look(chat({ temperature: 0.1 }))).toBeNull();
    const { temperature: _, ...withoutTemperature } = chat();
    expect(await look(withoutTemperature)).toBeNull();
    expect(await look(chat(), { headers: { 'x-cache': 'off' } })).toBeNull();
    // What it has spent is asked of admin, for which the proxy waits no longer than two seconds.
    const status = await waitFor('the status of the key', guardTimeoutMs, async () => {
      const key = await fetch(`${gateway.proxy.url}/v1/key`, {
        headers: { authorization: `Bearer ${customer.proxyKey}` },
      });
      return key.status !== 503 && key.json();
    });
    expect(status).toMatchObject({ data: { cache_seconds: 60 } });
    await change({ cacheSeconds: null });
    for (const at of [gateway.proxy, other]) expect(await look(chat(), { at })).toBeNull();
    expect(await violationsAtRest(gateway.harness, [customer.accountId])).toEqual([]);
  });

  test('in any order of changes and requests, what is given is never older than it allows (campaign)', async () => {
    const step = fc.oneof(
      fc.record({ set: fc.constantFrom(null, 86_400, 3_600) }),
      fc.record({ at: fc.constantFrom(0, 1), reads: fc.boolean() }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
        prompt = crypto.randomUUID();
        await change({ cacheSeconds: null });
        let seconds: number | null = null;
        let isStored = false;
        for (const each of steps) {
          if ('set' in each) {
            seconds = each.set;
            await change({ cacheSeconds: seconds });
            continue;
          }
          const at = each.at === 0 ? gateway.proxy : other;
          const isOn = each.reads || seconds !== null;
          const said = await look(chat(), { at, headers: each.reads ? { 'x-cache': 'read' } : {} });
          // A proxy may find out about a setting by its first request.
          expect(isOn ? [isStored ? 'hit' : 'miss', null, 'miss'] : [null]).toContain(said);
          if (said === 'hit') expect(isStored).toBe(true);
          if (said === 'miss') isStored = true;
        }
      }),
      { numRuns: inCampaign(3, 10) },
    );
  });

  test('that is shorter applies to what was stored before', async () => {
    await change({ cacheSeconds: 3_600 });
    await send(chat({ seed: 1 }));
    expect(await look(chat())).toBe('miss');
    expect(await look(chat())).toBe('hit');
    await change({ cacheSeconds: 1 });
    await send(chat({ seed: 1 }));
    // Whatever was stored is a second old at some time.
    await waitFor('the response to be too old', guardTimeoutMs, async () => (await look(chat())) === 'miss');
  });

  test.each([0, 86_401, 1.5, '60'])('is refused with the value %p', async (cacheSeconds) => {
    await expect(change({ cacheSeconds })).rejects.toThrow('"param":"cacheSeconds"');
  });
});

describe('a stored response is not given', () => {
  const reading = { 'x-cache': 'read' };
  const outcome = async (body: object = chat()) => {
    const response = await send(body, { headers: reading });
    const { error } = (await response.json()) as { error?: { code: string } };
    return error?.code ?? response.headers.get('x-cache');
  };

  test.each([
    ['that is deactivated', { active: false }, 'key_deactivated'],
    ['that may use another model', { limits: { allowedModels: ['test/second'] } }, 'model_not_allowed'],
    ['that is used from elsewhere', { allowedIps: ['203.0.113.7'] }, 'address_not_allowed'],
  ])('to a key %s', async (_name, fields, code) => {
    expect(await look(chat(), { headers: reading })).toBe('miss');
    expect(await outcome()).toBe('hit');
    await change(fields);
    expect(await outcome()).toBe(code);
  });

  test('beyond the limit of requests', async () => {
    expect(await look(chat(), { headers: reading })).toBe('miss');
    await change({ limits: { rateLimits: { requestsPerMinute: 3 } } });
    const outcomes = [];
    for (let turn = 0; turn < 6; turn += 1) outcomes.push(await outcome());
    expect(outcomes).toContain('hit');
    expect(outcomes.at(-1)).toBe('rate_limit_exceeded');
    expect(outcomes.filter((each) => each === 'hit').length).toBeLessThanOrEqual(3);
  });

  test('to a key with other demands on providers, nor one that was stored under other demands', async () => {
    expect(await look(chat(), { headers: reading })).toBe('miss');
    await change({ dataPolicy: { zdr: true } });
    await send(chat({ seed: 1 }));
    expect(await look(chat(), { headers: reading })).toBe('miss');
    expect(await look(chat(), { headers: reading })).toBe('hit');
    await change({ dataPolicy: { countries: ['FR'] } });
    expect(await outcome()).toBe('no_deployment_fits');
  });

  test('of a model that was tried as the second, unless all that may be asked are allowed', async () => {
    gateway.provider.on('upstream-chat', failWith(500, 'down'));
    const body = chat({ models: ['test/second'] });
    expect(await look(body, { headers: reading })).toBe('miss');
    const response = await send(body, { headers: reading });
    expect(response.headers.get('x-cache')).toBe('hit');
    expect(response.headers.get('x-gateway-model')).toBe('test/second');
    expect(await response.json()).toMatchObject({ model: 'test/second' });
    await change({ limits: { allowedModels: ['test/second'] } });
    expect(await outcome(body)).toBe('model_not_allowed');
  });
});

test('the receipt of a hit names the request that it repeats, and costs nothing', async () => {
  const reading = { 'x-cache': 'read' };
  const isWritten = await nextWrite(gateway.proxy);
  const first = await send(chat({ user: 'ada' }), { headers: reading });
  await isWritten();
  const second = await send(chat({ user: 'bob' }), { headers: reading });
  const [original, repetition] = [first, second].map(({ headers }) => headers.get('x-request-id') ?? '');
  const view = await logIn(gateway.admin, customer);
  const receipt = (id = '') =>
    waitFor('the receipt', guardTimeoutMs, () =>
      view.get<Record<string, unknown>>(`/api/requests/${id}`).catch(() => undefined),
    );
  expect(await receipt(original)).toMatchObject({ repeats: null, promptTokens: 9, charged: '0.000019' });
  expect(await receipt(repetition)).toMatchObject({
    ...{ repeats: original, charged: '0', promptTokens: 0, completionTokens: 0, final: true, estimated: false },
    ...{ model: 'test/chat', transactions: [], cost: { exact: '0', rounding: '0', total: '0' } },
  });
  const { requests } = await view.get<{ requests: { requestId: string; repeats: string | null }[] }>('/api/requests');
  expect(requests.find(({ requestId }) => requestId === repetition)?.repeats).toBe(original as string);
  const csv = await fetch(`${gateway.admin.url}/api/account/export`, {
    headers: { authorization: `Bearer ${await logInAt(gateway.admin.url, customer)}` },
  });
  expect(csv.status).toBe(200);
  expect(await violationsAtRest(gateway.harness, [customer.accountId])).toEqual([]);
});

test('what is stored for an organization is removed with it, and that of others stays', async () => {
  const stranger = await gateway.harness.createCustomer({ usd: '5' });
  const reading = { 'x-cache': 'read' };
  await look(chat(), { headers: reading });
  await look(chat(), { headers: reading, by: stranger.proxyKey });
  const keysOf = ({ accountId }: Customer) => gateway.harness.redis.keys(`{c*}:response:${accountId}:*`);
  expect([(await keysOf(customer)).length, (await keysOf(stranger)).length]).toEqual([1, 1]);
  const { balance } = await (await logIn(gateway.admin, customer)).balanceAtRest();
  const token = await logInAt(gateway.admin.url, customer);
  await call('DELETE', '/api/account', { current_password: testPassword, forfeitBalanceUsd: String(balance) }, token);
  await waitFor('what is stored to be removed', guardTimeoutMs, async () => (await keysOf(customer)).length === 0);
  expect((await keysOf(stranger)).length).toBe(1);
});

test('a model that has left the catalogue is not served from what is stored', async () => {
  const reading = { 'x-cache': 'read' };
  expect(await look(chat({ model: 'test/second' }), { headers: reading })).toBe('miss');
  expect(await look(chat({ model: 'test/second' }), { headers: reading })).toBe('hit');
  await gateway.harness.applyCatalogue(catalogue(gateway.provider.baseUrl, model('test/chat', 'upstream-chat')));
  await waitFor('the model to be gone', guardTimeoutMs, async () => {
    const response = await send(chat({ model: 'test/second' }), { headers: reading });
    await response.text();
    return response.status === 404;
  });
});
