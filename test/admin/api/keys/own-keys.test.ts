/** A member of an organization sees and manages the keys that they have created, and what these were used for. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { applyCharges } from '../../../../admin/ledger/charges/apply-charges.ts';
import { addErrors } from '../../../../shared/health/request-errors.ts';
import { formatUsd, nanoUsd, parseUsd } from '../../../../shared/money.ts';
import { type Customer, testPassword } from '../../../harness/customers.ts';
import { testCatalogue } from '../../../harness/providers/test-catalogue.ts';
import { SeededRandom } from '../../../harness/seeded-random.ts';
import { type Harness, startHarness } from '../../../harness.ts';
import { chargeOf } from '../../ledger/ledger.ts';
import { openEvents } from '../events/open-events.ts';
import { People } from '../organizations/people.ts';
import type { CreatedKey, KeyList, Receipt, RequestList } from '../response-types.ts';
import { type Api, logIn, startApi } from '../start-api.ts';

let harness: Harness;
let api: Api;
let priceVersion: number;
beforeAll(async () => {
  harness = await startHarness();
  await harness.applyCatalogue(testCatalogue('http://127.0.0.1:9/v1'));
  const [price] = await harness.database.sql`SELECT version FROM model_prices WHERE model = 'test/chat'`;
  priceVersion = Number(price?.version);
  api = await startApi(harness);
});
afterAll(async () => {
  await api.stop();
  await harness.stop();
});

interface Organization {
  readonly customer: Customer;
  readonly owner: string;
  /** Two of them. */
  readonly members: readonly string[];
}

async function newOrganization(): Promise<Organization> {
  const customer = await harness.createCustomer({ usd: '10' });
  const owner = await logIn(api, customer.email, testPassword);
  const people = new People(harness, api);
  const join = async () => {
    const person = await people.sign();
    await people.join({ id: customer.userId, email: customer.email, token: owner }, person, 'member');
    return person.token;
  };
  return { customer, owner, members: [await join(), await join()] };
}

async function createKey(token: string, path = '/api/proxy-keys'): Promise<number> {
  const { status, body } = await api.call<CreatedKey>('POST', path, { token, body: { name: 'made' } });
  expect(status).toBe(201);
  return body.id;
}

async function keysOf(token: string): Promise<number[]> {
  const { body } = await api.call<KeyList>('GET', '/api/proxy-keys', { token });
  return body.keys.map(({ id }) => id);
}

/** Books a charge of each amount, and counts as many errors. Returns the requests. */
async function use(accountId: number, keyId: number, amounts: readonly bigint[]): Promise<string[]> {
  if (amounts.length === 0) return [];
  const charges = amounts.map((costNano) => {
    const charge = chargeOf(accountId, { keyId, costNano });
    return { ...charge, detail: { ...charge.detail, priceVersion } };
  });
  await applyCharges(harness.database.sql, charges);
  const [key] = await harness.database.sql<{ hash: string }[]>`SELECT hash FROM api_keys WHERE id = ${keyId}`;
  const day = new Date().toISOString().slice(0, 10);
  await addErrors(harness.redis, [{ keyHash: key?.hash ?? '', day, code: 'invalid_json', count: amounts.length }]);
  return charges.map(({ requestId }) => requestId);
}

/** What someone sees of the organization's usage, in all places that show it. */
async function seenBy(token: string) {
  const get = async <Body>(path: string) => (await api.call<Body>('GET', path, { token })).body;
  const { requests } = await get<RequestList>('/api/requests?limit=100');
  const { usage } = await get<{ usage: { keyId: number; cost: string }[] }>('/api/usage?groupBy=key');
  const { errors } = await get<{ errors: { keyId: number; count: number }[] }>('/api/errors');
  const sheet = await fetch(`${api.url}/api/usage/export?groupBy=key`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const rows = (await sheet.text()).trim().split('\n').slice(1);
  return {
    keys: (await keysOf(token)).sort(),
    requests: requests.map(({ requestId }) => requestId).sort(),
    costs: new Map(usage.map(({ keyId, cost }) => [keyId, cost])),
    errors: new Map(errors.map(({ keyId, count }) => [keyId, count])),
    rows: rows.length,
  };
}

describe('whatever keys people have and use', () => {
  test.each([1, 2, 3, 4, 5, 6])('members see their own and others see all, in case %d', async (seed) => {
    const random = new SeededRandom(seed);
    const { customer, owner, members } = await newOrganization();
    const creators = [owner, ...members, customer.billingKey];
    const keys: { id: number; creator: string; amounts: bigint[]; requests: string[] }[] = [];
    for (let made = 0; made < 8; made += 1) {
      const creator = random.pick(creators);
      const id = await createKey(creator, creator === customer.billingKey ? '/api/keys' : '/api/proxy-keys');
      const amounts = Array.from({ length: random.integer(0, 3) }, () => BigInt(random.integer(1, 1_000_000)));
      keys.push({ id, creator, amounts, requests: await use(customer.accountId, id, amounts) });
    }
    const expected = (which: typeof keys, others: readonly number[]) => {
      const used = which.filter(({ amounts }) => amounts.length > 0);
      const sum = (amounts: readonly bigint[]) => formatUsd(nanoUsd(amounts.reduce((all, one) => all + one, 0n)));
      return {
        keys: [...which.map(({ id }) => id), ...others].sort(),
        requests: which.flatMap(({ requests }) => requests).sort(),
        costs: new Map(used.map(({ id, amounts }) => [id, sum(amounts)] as const)),
        errors: new Map(used.map(({ id, amounts }) => [id, amounts.length] as const)),
        rows: used.length,
      };
    };
    expect(await seenBy(owner)).toEqual(expected(keys, [customer.proxyKeyId]));
    for (const member of members) {
      const own = keys.filter(({ creator }) => creator === member);
      expect(await seenBy(member)).toEqual(expected(own, []));
      for (const { id, creator, requests } of keys) {
        const [requestId = crypto.randomUUID()] = requests;
        const receipt = await api.call<Receipt>('GET', `/api/requests/${requestId}`, { token: member });
        expect(receipt.status).toBe(creator === member && requests.length > 0 ? 200 : 404);
        const listed = await api.call<RequestList>('GET', `/api/requests?keyId=${id}`, { token: member });
        expect(listed.body.requests.length).toBe(creator === member ? requests.length : 0);
      }
    }
  });
});

test('a member changes, replaces and deletes their own keys, and finds no others', async () => {
  const { customer, owner, members } = await newOrganization();
  const [member = '', other = ''] = members;
  const foreign = [
    customer.proxyKeyId,
    await createKey(owner),
    await createKey(other),
    await createKey(customer.billingKey, '/api/keys'),
  ];
  for (const id of foreign) {
    const path = `/api/proxy-keys/${id}`;
    const changed = await api.call('PUT', path, { token: member, body: { name: 'mine' } });
    const rotated = await api.call('POST', `${path}/rotate`, { token: member, body: {} });
    const deleted = await api.call('DELETE', path, { token: member });
    expect([changed, rotated, deleted].map(({ status }) => status)).toEqual([404, 404, 404]);
  }
  expect((await keysOf(owner)).sort()).toEqual(foreign.sort());

  const own = await createKey(member);
  const path = `/api/proxy-keys/${own}`;
  expect((await api.call('PUT', path, { token: member, body: { name: 'renamed' } })).status).toBe(200);
  // The new key has the same owner, no matter who replaces it.
  const byOwner = await api.call<CreatedKey>('POST', `${path}/rotate`, { token: owner, body: {} });
  const again = await api.call<CreatedKey>('POST', `/api/proxy-keys/${byOwner.body.id}/rotate`, {
    token: member,
    body: {},
  });
  expect(await keysOf(member)).toEqual([again.body.id, byOwner.body.id, own]);
  expect((await api.call('DELETE', path, { token: member })).status).toBe(204);
  expect(await keysOf(member)).toEqual([again.body.id, byOwner.body.id]);
});

test('a member who repeats the request of someone else does not get their key', async () => {
  const { customer, owner, members } = await newOrganization();
  const [member = '', other = ''] = members;
  const headers = { 'idempotency-key': 'the-same' };
  const create = (token: string) =>
    api.call<CreatedKey>('POST', '/api/proxy-keys', { token, headers, body: { name: 'made' } });
  const created = [await create(owner), await create(member), await create(other), await create(member)];
  const [first, second, third, again] = created.map(({ body }) => body.key);
  expect(new Set([first, second, third]).size).toBe(3);
  expect(again).toBe(second ?? '');
  const path = `/api/proxy-keys/${customer.proxyKeyId}/rotate`;
  const rotate = (token: string) => api.call<CreatedKey>('POST', path, { token, headers, body: {} });
  expect((await rotate(owner)).status).toBe(201);
  expect((await rotate(member)).status).toBe(404);
});

test('a member’s playground is theirs, and their events are those of their own keys', async () => {
  const { customer, owner, members } = await newOrganization();
  const [member = '', other = ''] = members;
  const playground = await api.call<CreatedKey>('POST', '/api/playground-key', { token: member });
  const streams = { owner: await openEvents(api.url, owner), member: await openEvents(api.url, member) };
  const [foreign = ''] = await use(customer.accountId, await createKey(other), [1_000n]);
  const [own = ''] = await use(customer.accountId, playground.body.id, [2_000n]);
  const isOf = (id: string) => (data: Readonly<Record<string, unknown>>) => data.requestId === id;
  await streams.owner.next('request', isOf(foreign));
  await streams.member.next('request', isOf(own));
  // The balance is everyone's to see.
  const left = formatUsd(nanoUsd(parseUsd('10') - 3_000n));
  await streams.member.next('balance', ({ balance }) => balance === left);
  const requests = streams.member.received.filter(({ event }) => event === 'request');
  expect(requests.map(({ data }) => data.requestId)).toEqual([own]);
  for (const stream of Object.values(streams)) stream.leave();
});
