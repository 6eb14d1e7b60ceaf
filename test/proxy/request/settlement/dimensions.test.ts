/**
 * What requests say in `user` and `metadata` is attributed where their organization asks for it, at each endpoint and whichever
 * way their money is held; what is sent to providers stays as it is, and nothing in it fails a request.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { type AccountView, logIn, waitFor } from '../../../harness/account-view.ts';
import { inCampaign } from '../../../harness/campaigns.ts';
import type { Customer } from '../../../harness/customers.ts';
import { type Gateway, startGateway } from '../../../harness/gateway.ts';
import { logInAt } from '../../../harness/log-in-at.ts';
import { catalogueOfEachKind } from '../../../harness/providers/each-kind.ts';
import { rawResponse, streamedResponse, wholeResponse } from '../../../harness/providers/scripted-provider.ts';

const usage = { prompt_tokens: 9, completion_tokens: 5, total_tokens: 14 };
const bookedWithinMs = 20_000;
const messages = [{ role: 'user', content: 'hello' }];
const asked = { metadata: ['team', 'feature', 'a.b-c_d', '__proto__'], user: true };

interface Listed {
  readonly requestId: string;
  readonly user: string | null;
  readonly metadata: Readonly<Record<string, string>>;
}

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({
    catalogue: (baseUrl) => catalogueOfEachKind(baseUrl),
    proxyEnvironment: { RATE_LIMIT_REQUESTS_PER_MINUTE: '10000000' },
  });
  const { provider } = gateway;
  const answer = wholeResponse({ usage: { promptTokens: 9, completionTokens: 5 } });
  const stream = streamedResponse({ tokens: 5 });
  provider.on('upstream-chat', (truth, request) => (truth.body.stream ? stream : answer)(truth, request));
  const choices = [{ text: 'a', index: 0, finish_reason: 'stop' }];
  provider.on('upstream-completion', rawResponse(JSON.stringify({ choices, usage })));
  const data = [{ object: 'embedding', index: 0, embedding: [1] }];
  provider.on('upstream-embedding', rawResponse(JSON.stringify({ data, usage })));
  provider.on('upstream-image', rawResponse(JSON.stringify({ created: 1, data: [{ b64_json: 'aGk=' }] })));
});
afterAll(() => gateway.stop());

async function send({ proxyKey }: Customer, path: string, body: object, headers: Record<string, string> = {}) {
  const response = await fetch(`${gateway.proxy.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${proxyKey}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${response.status} ${text}`);
  return response.headers.get('x-request-id') ?? '';
}

async function ask(token: string, settings: object): Promise<void> {
  const response = await fetch(`${gateway.admin.url}/api/organization/dimensions`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(settings),
  });
  if (!response.ok) throw new Error(await response.text());
}

async function customerWith(settings: object): Promise<{ customer: Customer; view: AccountView; token: string }> {
  const customer = await gateway.harness.createCustomer({ usd: '10' });
  const token = await logInAt(gateway.admin.url, customer);
  await ask(token, settings);
  return { customer, token, view: await logIn(gateway.admin, customer) };
}

const receiptOf = (view: AccountView, id: string) =>
  waitFor('the request to be booked', bookedWithinMs, () =>
    view.get<Listed>(`/api/requests/${id}`).catch(() => undefined),
  );

const both = { user: 'ada', metadata: { team: 'search', feature: 'chat', other: 'x' } };
const endpoints: readonly [name: string, path: string, body: object, expected: Omit<Listed, 'requestId'>][] = [
  ['chat', '/v1/chat/completions', { model: 'test/chat', messages, ...both }, said('ada', 'search', 'chat')],
  [
    'a streamed chat',
    '/v1/chat/completions',
    { model: 'test/chat', messages, stream: true, ...both },
    said('ada', 'search', 'chat'),
  ],
  [
    'a large chat',
    '/v1/chat/completions',
    { model: 'test/chat', messages: [{ role: 'user', content: 'a '.repeat(140_000) }], ...both },
    said('ada', 'search', 'chat'),
  ],
  [
    'text completions',
    '/v1/completions',
    { model: 'test/completion', prompt: 'a', max_tokens: 5, user: 'bob' },
    said('bob'),
  ],
  [
    'embeddings',
    '/v1/embeddings',
    { model: 'test/embedding', input: 'a', user: 'bob', metadata: { team: 'mail' } },
    said('bob', 'mail'),
  ],
  [
    'images',
    '/v1/images/generations',
    { model: 'test/image', prompt: 'a', user: 'bob', metadata: { team: 'mail' } },
    said('bob', 'mail'),
  ],
  ['responses', '/v1/responses', { model: 'test/chat', input: 'hello', ...both }, said('ada', 'search', 'chat')],
  [
    'messages',
    '/v1/messages',
    { model: 'test/chat', max_tokens: 10, messages, metadata: { user_id: 'claire' } },
    said('claire'),
  ],
];

function said(user: string | null, team?: string, feature?: string) {
  return { user, metadata: { ...(team && { team }), ...(feature && { feature }) } };
}

describe('a request of an organization that asks', () => {
  test.each(endpoints)('is attributed at the endpoint for %s', async (_name, path, body, expected) => {
    const { customer, view } = await customerWith(asked);
    const held = await send(customer, path, body);
    // The second one within a second may begin from a lease, and the third must not.
    const leased = await send(customer, path, body);
    const reserved = await send(customer, path, body, { 'idempotency-key': crypto.randomUUID() });
    for (const id of [held, leased, reserved]) expect(await receiptOf(view, id)).toMatchObject(expected);
    const before = gateway.provider.requests.length;
    await send(await gateway.harness.createCustomer({ usd: '1' }), path, body);
    const [without, withThem] = [gateway.provider.requests[before], gateway.provider.requests[before - 1]];
    expect(withThem?.body).toEqual(without?.body ?? {});
  });

  test('may have anything there: texts are cut and made storable, and everything else is no value (campaign)', async () => {
    const { customer, view } = await customerWith(asked);
    const anything = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 150 }),
      fc.jsonValue(),
      fc.constant('😀'.repeat(70)),
    );
    const surrogates = fc.array(fc.constantFrom('a', '\0', '\uD83D', '\uDE00', '"', '\\', '\u2028'), { maxLength: 80 });
    const value = fc.oneof(
      anything,
      surrogates.map((units) => units.join('')),
    );
    const metadata = fc.oneof(
      fc.record({ team: value, feature: value, 'a.b-c_d': value }, { requiredKeys: [] }),
      fc.jsonValue(),
    );
    const requests: { id: string; sent: unknown; user: string }[] = [];
    for (const [sent, any] of fc.sample(fc.tuple(metadata, value), inCampaign(20, 60))) {
      const user = typeof any === 'string' ? any : 'u';
      const id = await send(customer, '/v1/chat/completions', { model: 'test/chat', messages, metadata: sent, user });
      requests.push({ id, sent, user });
    }
    for (const { id, sent, user } of requests) {
      const read = await receiptOf(view, id);
      const found = ['team', 'feature', 'a.b-c_d'].map((name) => [name, read.metadata[name] ?? null]);
      const expected = found.map(([name]) => [name, storable(Object(sent)[name ?? ''])]);
      expect({ sent, user: read.user, found }).toEqual({ sent, user: storable(user), found: expected } as never);
    }
  });
});

/** As JSON carries it to the proxy. */
function storable(value: unknown): string | null {
  if (typeof value !== 'string' || value === '') return null;
  const characters = [...value].map((each) => (each === '\0' || !each.isWellFormed() ? '\uFFFD' : each));
  return characters.slice(0, 64).join('');
}

test('a change of what is asked for counts for requests that begin after it, on keys that are in use', async () => {
  const { customer, view, token } = await customerWith({ user: true });
  const body = { model: 'test/chat', messages, user: 'ada', metadata: { team: 'search' } };
  const several = async () => {
    const ids: string[] = [];
    for (let count = 0; count < 6; count += 1) ids.push(await send(customer, '/v1/chat/completions', body));
    return ids;
  };
  const expectAll = async (ids: readonly string[], expected: object) => {
    for (const id of ids) expect(await receiptOf(view, id)).toMatchObject(expected);
  };
  const first = await several();
  await ask(token, { metadata: ['team'], user: false });
  const second = await several();
  await ask(token, { metadata: [] });
  const third = await several();
  await expectAll(first, { user: 'ada', metadata: {} });
  await expectAll(second, { user: null, metadata: { team: 'search' } });
  await expectAll(third, { user: null, metadata: {} });
  for (const [groupBy, expected] of [
    [
      'user',
      [
        { user: 'ada', requests: 6 },
        { user: null, requests: 12 },
      ],
    ],
    [
      'metadata.team',
      [
        { metadata: { team: 'search' }, requests: 6 },
        { metadata: { team: null }, requests: 12 },
      ],
    ],
  ] as const) {
    const { usage: groups } = await view.get<{ usage: object[] }>(`/api/usage?groupBy=${groupBy}`);
    expect(groups).toMatchObject(expected);
  }
  const file = await fetch(`${gateway.admin.url}/api/usage/export?groupBy=metadata.team`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const lines = (await file.text()).trim().split(/\r?\n/);
  // What was added later is behind it.
  const place = (lines[0] ?? '').split(',').indexOf('dimension');
  expect((lines[0] ?? '').split(',').slice(place, place + 3)).toEqual([
    'dimension',
    'dimensionValue',
    'cacheWrite1hTokens',
  ]);
  expect(lines.slice(1).map((line) => line.split(',').slice(place, place + 2))).toEqual([
    ['metadata.team', 'search'],
    ['metadata.team', ''],
  ]);
});
