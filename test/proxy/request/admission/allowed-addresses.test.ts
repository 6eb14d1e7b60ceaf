/**
 * Keys that may only be used from certain addresses: on every replica, at every endpoint, and as soon as the call that changes
 * a list has returned.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { endpoints } from '../../../../proxy/api/endpoints.ts';
import { creditsPath, keyPath } from '../../../../proxy/api/key-status/key-status.ts';
import { tokenCountPath } from '../../../../proxy/api/messages/count-tokens.ts';
import { quotePath } from '../../../../proxy/api/quote/quote-endpoint.ts';
import { nanoUsd } from '../../../../shared/money.ts';
import { shardOfAccount } from '../../../../shared/wallet/shard.ts';
import { keysOfShard } from '../../../../shared/wallet/wallet-keys.ts';
import { guardTimeoutMs, waitFor } from '../../../harness/account-view.ts';
import { violationsAtRest } from '../../../harness/books.ts';
import type { Customer } from '../../../harness/customers.ts';
import { type Gateway, startGateway } from '../../../harness/gateway.ts';
import { logInAt } from '../../../harness/log-in-at.ts';
import type { Served } from '../../../harness/programs.ts';
import { wholeResponse } from '../../../harness/providers/scripted-provider.ts';
import { readLeased } from '../../../harness/read-metric.ts';

const office = '203.0.113.7';
const elsewhere = '198.51.100.9';
const oneHop = { TRUSTED_PROXY_HOPS: '1' };

let gateway: Gateway;
/** Two behind one load balancer, and one that clients reach directly. */
let behind: readonly [Served, Served];
let direct: Served;
let customer: Customer;
beforeAll(async () => {
  gateway = await startGateway({ proxyEnvironment: oneHop });
  behind = [gateway.proxy, await gateway.harness.openProxy(oneHop)];
  direct = await gateway.harness.openProxy();
  gateway.provider.on('upstream-chat', wholeResponse({ usage: { promptTokens: 9, completionTokens: 5 } }));
});
afterAll(() => gateway.stop());
beforeEach(async () => {
  customer = await gateway.harness.createCustomer({ usd: '5' });
});

interface Sent {
  readonly path?: string;
  readonly method?: string;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

const hello = { model: 'test/chat', max_tokens: 10, messages: [{ role: 'user', content: 'Hello?' }] };

/** `from` is what X-Forwarded-For says; undefined sends none. */
function ask(proxy: Served, from: string | undefined, sent: Sent = {}): Promise<Response> {
  const { path = '/v1/chat/completions', method = 'POST', body = hello, headers = {} } = sent;
  return fetch(`${proxy.url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${customer.proxyKey}`,
      'content-type': 'application/json',
      ...(from !== undefined && { 'x-forwarded-for': from }),
      ...headers,
    },
    ...(method === 'POST' && { body: JSON.stringify(body) }),
  });
}

async function outcome(response: Promise<Response>): Promise<string> {
  const answered = await response;
  const body = (await answered.json()) as { error?: { code: string } };
  return answered.status === 200 ? 'served' : (body.error?.code ?? '');
}

const fromOffice = (proxy: Served) => outcome(ask(proxy, office));
const fromElsewhere = (proxy: Served) => outcome(ask(proxy, elsewhere));

async function change(path: string, body: object, authorization: string): Promise<void> {
  const response = await fetch(`${gateway.admin.url}${path}`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${authorization}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(response.status).toBe(200);
}

const limitKey = (allowedIps: string[] | null) =>
  change(`/api/keys/${customer.proxyKeyId}`, { allowedIps }, customer.billingKey);
const limitOrganization = async (entries: string[]) =>
  change('/api/organization/ip-allow-list', { entries }, await logInAt(gateway.admin.url, customer));

describe('a list of the key, or of its organization', () => {
  test.each([
    ['key', limitKey],
    ['organization', limitOrganization],
  ] as const)(
    'of the %s is in force on every replica when the call returns, and so is its end',
    async (_whose, limit) => {
      for (const proxy of behind) expect(await fromElsewhere(proxy)).toBe('served');
      await limit(['203.0.113.0/24']);
      for (const proxy of behind) {
        expect(await fromElsewhere(proxy)).toBe('address_not_allowed');
        expect(await fromOffice(proxy)).toBe('served');
      }
      await limit(['203.0.113.0/24', elsewhere]);
      for (const proxy of behind) expect(await fromElsewhere(proxy)).toBe('served');
      await limit(['2001:db8::/32']);
      for (const proxy of behind) {
        expect(await fromOffice(proxy)).toBe('address_not_allowed');
        expect(await outcome(ask(proxy, '2001:db8::7'))).toBe('served');
      }
      await limit([]);
      for (const proxy of behind) expect(await fromOffice(proxy)).toBe('served');
      expect(await violationsAtRest(gateway.harness, [customer.accountId])).toEqual([]);
    },
  );

  test('both apply', async () => {
    await limitOrganization(['203.0.113.0/24']);
    await limitKey([office, elsewhere]);
    const [proxy] = behind;
    expect(await fromOffice(proxy)).toBe('served');
    expect(await fromElsewhere(proxy)).toBe('address_not_allowed');
    expect(await outcome(ask(proxy, '203.0.113.8'))).toBe('address_not_allowed');
  });
});

describe('a request from another address', () => {
  test('is told its address and whose list it is not in, charged nothing, and sent to no provider', async () => {
    await limitKey([office]);
    const before = gateway.provider.requests.length;
    const response = await ask(behind[0], elsewhere);
    expect(response.status).toBe(403);
    expect(await response.json()).toEqual({
      error: {
        message: `The request comes from ${elsewhere}, which is not among the allowed IP addresses of this API key.`,
        type: 'permission_error',
        code: 'address_not_allowed',
        param: null,
      },
    });
    expect(gateway.provider.requests.length).toBe(before);
    const wallet = await gateway.harness.keeper.readWallet(customer.accountId);
    expect(wallet).toEqual({ availableNano: nanoUsd(5_000_000_000n), heldNano: nanoUsd(0n) });
  });

  test('is refused in the form of each API format', async () => {
    await limitOrganization([office]);
    const response = await ask(behind[0], elsewhere, { path: '/v1/messages' });
    expect(response.status).toBe(403);
    expect(await response.json()).toMatchObject({
      type: 'error',
      error: { type: 'permission_error', message: expect.stringContaining(`${elsewhere}, which is not among`) },
    });
  });

  test.each([
    ...Object.keys(endpoints).map((path) => ['POST', path] as const),
    ['POST', quotePath],
    ['POST', tokenCountPath],
    ['GET', keyPath],
    ['GET', creditsPath],
  ] as const)('is refused at %s %s, before its body is read', async (method, path) => {
    await limitKey([office]);
    const response = await ask(behind[1], elsewhere, { path, method, body: {} });
    expect(response.status).toBe(403);
    expect(await response.text()).toContain(elsewhere);
  });

  test('is not answered from what is stored for its Idempotency-Key', async () => {
    const headers = { 'idempotency-key': crypto.randomUUID() };
    const repeat = (from: string) => outcome(ask(behind[0], from, { headers }));
    expect(await repeat(elsewhere)).toBe('served');
    expect(await repeat(elsewhere)).toBe('served');
    await limitKey([office]);
    expect(await repeat(elsewhere)).toBe('address_not_allowed');
    expect(await repeat(office)).toBe('served');
  });

  test('is counted among the errors of its key', async () => {
    await limitKey([office]);
    expect(await fromElsewhere(behind[0])).toBe('address_not_allowed');
    const headers = { authorization: `Bearer ${await logInAt(gateway.admin.url, customer)}` };
    await waitFor('the count', guardTimeoutMs, async () => {
      const response = await fetch(`${gateway.admin.url}/api/errors`, { headers });
      const { errors } = (await response.json()) as { errors: { code: string; keyId: number }[] };
      return errors.some(({ code, keyId }) => code === 'address_not_allowed' && keyId === customer.proxyKeyId);
    });
  });
});

test('a key with a lease is judged by each address', async () => {
  const [proxy] = behind;
  await limitKey([office]);
  const before = await readLeased(proxy);
  await waitFor('a lease', guardTimeoutMs, async () => {
    expect(await fromOffice(proxy)).toBe('served');
    return (await readLeased(proxy)) > before;
  });
  expect(await fromElsewhere(proxy)).toBe('address_not_allowed');
  expect(await fromOffice(proxy)).toBe('served');
});

test('GET /v1/models takes no key, so no list applies to it', async () => {
  await limitKey([office]);
  expect((await ask(behind[0], elsewhere, { path: '/v1/models', method: 'GET' })).status).toBe(200);
});

describe('the address of a request', () => {
  test('is what the load balancer has written, whatever the client wrote before it', async () => {
    await limitKey([office]);
    const [proxy] = behind;
    expect(await outcome(ask(proxy, `${office}, ${elsewhere}`))).toBe('address_not_allowed');
    expect(await outcome(ask(proxy, `${elsewhere}, ${office}`))).toBe('served');
  });

  test.each([undefined, '', 'unknown', `${office}:4711`])(
    'that cannot be known from %p is refused for a key with a list, and only for one',
    async (from) => {
      const [proxy] = behind;
      expect(await outcome(ask(proxy, from))).toBe('served');
      await limitKey(['0.0.0.0/0', '::/0']);
      const response = await ask(proxy, from);
      expect(response.status).toBe(403);
      expect(await response.text()).toContain('cannot tell where the request comes from');
      await limitKey(null);
      expect(await outcome(ask(proxy, from))).toBe('served');
    },
  );

  test('is that of the connection where no load balancer is trusted', async () => {
    await limitKey([office]);
    const response = await ask(direct, office);
    expect(response.status).toBe(403);
    expect(await response.text()).toContain('The request comes from 127.0.0.1,');
    await limitKey(['127.0.0.0/8']);
    expect(await outcome(ask(direct, elsewhere))).toBe('served');
  });

  test('that is an IPv4-mapped IPv6 address is the IPv4 address', async () => {
    await limitKey([office]);
    expect(await outcome(ask(behind[0], `::ffff:${office}`))).toBe('served');
  });
});

test('the record of a key from a version without lists restricts nothing until a list is published', async () => {
  const [proxy] = behind;
  await limitKey([office]);
  expect(await fromElsewhere(proxy)).toBe('address_not_allowed');
  const { redis, database } = gateway.harness;
  const [row] = await database.sql<{ hash: string }[]>`SELECT hash FROM api_keys WHERE id = ${customer.proxyKeyId}`;
  const record = `${keysOfShard(shardOfAccount(customer.accountId)).tag}:key:${row?.hash}`;
  expect(await redis.hdel(record, 'addressesMark', 'addresses')).toBe(2);
  expect(await fromElsewhere(proxy)).toBe('served');
  await limitKey([office, '2001:db8::1']);
  expect(await fromElsewhere(proxy)).toBe('address_not_allowed');
});
