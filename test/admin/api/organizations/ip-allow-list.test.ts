/** From where keys may be used: the list of an organization, and those of its keys, as the API takes and shows them. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { allowListSchema } from '../../../../admin/api/organizations/ip-allow-list/ip-allow-list-schemas.ts';
import { allowedIpsMax } from '../../../../admin/keys/allowed-ips.ts';
import type { ErrorBody } from '../../../../shared/errors.ts';
import { type Harness, startHarness } from '../../../harness.ts';
import type { CreatedKey, ProxyKey } from '../response-types.ts';
import { type Api, startApi } from '../start-api.ts';
import { People, type Person } from './people.ts';

type AllowList = typeof allowListSchema.static;

const path = '/api/organization/ip-allow-list';
const office = '203.0.113.7';

let harness: Harness;
let api: Api;
let people: People;
beforeAll(async () => {
  harness = await startHarness();
  api = await startApi(harness);
  people = new People(harness, api);
});
afterAll(async () => {
  await api.stop();
  await harness.stop();
});

/** From the address; without one, from one that does not matter. */
async function call<Body>(method: string, path: string, by: Person, options: { body?: object; from?: string } = {}) {
  const { body, from } = options;
  const headers = from === undefined ? {} : { 'x-forwarded-for': from };
  return api.call<Body>(method, path, { token: by.token, headers, ...(body !== undefined && { body }) });
}

const read = (by: Person, from?: string) => call<AllowList>('GET', path, by, from === undefined ? {} : { from });
const put = (by: Person, entries: readonly string[], from?: string) =>
  call<AllowList>('PUT', path, by, { body: { entries }, ...(from !== undefined && { from }) });
const auditOf = async (by: Person, action: string) => {
  type Entries = { entries: { action: string; before: unknown; after: unknown }[] };
  const { entries } = await people.ok<Entries>('GET', '/api/organization/audit', by);
  return entries.filter((entry) => entry.action === action).map(({ before, after }) => ({ before, after }));
};

describe('the list of an organization', () => {
  test('is empty at first, becomes canonical without repetitions, and an empty one removes it', async () => {
    const ada = await people.sign();
    expect((await read(ada, office)).body).toEqual({ entries: [], callerAddress: office, warning: null });
    const written = ['203.0.113.0/24', ' 2001:DB8:0::/32', '203.0.113.7/32', '2001:db8::/32'];
    const changed = { entries: ['203.0.113.0/24', '2001:db8::/32', office], callerAddress: office, warning: null };
    expect((await put(ada, written, office)).body).toEqual(changed);
    expect((await read(ada, office)).body).toEqual(changed);
    expect((await put(ada, [], office)).body).toEqual({ entries: [], callerAddress: office, warning: null });
    const [before, after] = [{ allowedIps: null }, { allowedIps: changed.entries }];
    expect(await auditOf(ada, 'organization.update')).toEqual([
      { before: after, after: before },
      { before, after },
    ]);
  });

  test('that is sent back as it is changes nothing, and is in no audit log', async () => {
    const ada = await people.sign();
    await put(ada, [office]);
    const versions = () => harness.database.sql`SELECT id, version FROM api_keys ORDER BY id`;
    const before = await versions();
    await put(ada, [`${office}/32`]);
    expect(await versions()).toEqual(before);
    expect(await auditOf(ada, 'organization.update')).toHaveLength(1);
  });

  test('warns a caller whom it leaves out, or whose address is unknown, and is in force all the same', async () => {
    const ada = await people.sign();
    const other = '2001:db8:1:2:3:4:5:6';
    const excluded = { entries: [office], callerAddress: other, warning: expect.stringContaining(other) };
    expect((await put(ada, [office], other)).body).toEqual(excluded);
    expect((await read(ada, other)).body).toEqual(excluded);
    expect((await put(ada, [office, '2001:db8::/32'], other)).body).toMatchObject({ warning: null });
    const { body } = await put(ada, [office], 'unknown');
    expect(body).toMatchObject({ callerAddress: null, warning: expect.stringContaining('cannot tell') });
  });

  test.each([
    [['203.0.113.7', 'office.example.com'], 'entries[1]', 'expected an IP address such as 203.0.113.7'],
    [['10.0.0.0/8', '::/0', '1.1.1.1', '203.0.113.7/24'], 'entries[3]', 'Send 203.0.113.0/24, or 203.0.113.7 for'],
    [['2001:db8::1/32'], 'entries[0]', 'within the network 2001:db8::/32'],
    [['203.0.113.0/33'], 'entries[0]', 'expected an IP address'],
    [['fe80::1%eth0'], 'entries[0]', 'expected an IP address'],
    [['10.0.0.0/8', ''], 'entries[1]', 'expected an IP address or a network'],
    [Array.from({ length: allowedIpsMax + 1 }, (_, n) => `10.0.0.${n}`), 'entries', 'at most 100'],
  ])(
    '%#: with a bad entry is refused, and the message names it and what was meant',
    async (entries, param, message) => {
      const ada = await people.sign();
      const { status, error } = await put(ada, entries);
      expect([status, error?.code, error?.param]).toEqual([400, 'invalid_parameter', param]);
      expect(error?.message).toContain(message);
      expect((await read(ada)).body).toMatchObject({ entries: [] });
    },
  );

  test('is read by those who manage the organization, and changed by owners', async () => {
    const [ada, bob, cyd] = [await people.sign(), await people.sign(), await people.sign()];
    await people.join(ada, bob, 'admin');
    await people.join(ada, cyd, 'member');
    await put(ada, [office]);
    expect((await read(bob)).body).toMatchObject({ entries: [office] });
    for (const refused of [await put(bob, []), await read(cyd), await put(cyd, [])]) {
      expect([refused.status, refused.error?.code]).toEqual([403, 'role_required']);
    }
  });
});

describe('the list of a key', () => {
  const create = (by: Person, body: object) =>
    people.ok<CreatedKey>('POST', '/api/proxy-keys', by, { name: 'production', ...body });
  const keysOf = async (by: Person) => (await people.ok<{ keys: ProxyKey[] }>('GET', '/api/proxy-keys', by)).keys;
  const change = (by: Person, id: number, body: object) =>
    people.ok<ProxyKey>('PUT', `/api/proxy-keys/${id}`, by, body);

  test('is set when the key is created, changed, sent back, kept by a rotation, and removed', async () => {
    const ada = await people.sign();
    const { id } = await create(ada, { allowedIps: [office, '203.0.113.7/32'] });
    const [listed] = await keysOf(ada);
    expect(listed).toMatchObject({ id, allowedIps: [office] });
    expect(await change(ada, id, { ...listed, name: 'renamed' })).toMatchObject({ allowedIps: [office] });
    expect(await change(ada, id, { name: 'again' })).toMatchObject({ allowedIps: [office] });
    const rotated = await people.ok<CreatedKey>('POST', `/api/proxy-keys/${id}/rotate`, ada, {});
    expect((await keysOf(ada)).find((key) => key.id === rotated.id)).toMatchObject({ allowedIps: [office] });
    expect(await change(ada, id, { allowedIps: [] })).toMatchObject({ allowedIps: null });
    await change(ada, id, { allowedIps: ['2001:db8::/32'] });
    expect(await change(ada, id, { allowedIps: null })).toMatchObject({ allowedIps: null });
    expect(await auditOf(ada, 'key.update')).toMatchObject([
      { before: { allowedIps: ['2001:db8::/32'] }, after: { allowedIps: null } },
      { before: { allowedIps: null }, after: { allowedIps: ['2001:db8::/32'] } },
      { before: { allowedIps: [office] }, after: { allowedIps: null } },
      ...[{}, {}],
    ]);
    expect(await auditOf(ada, 'key.create')).toMatchObject([{ after: { allowedIps: [office] } }]);
  });

  test('is managed by billing keys too, which have none', async () => {
    const customer = await harness.createCustomer({ usd: '0' });
    const send = async (method: string, path: string, body?: object) => {
      const response = await api.call<ProxyKey>(method, path, { token: customer.billingKey, ...(body && { body }) });
      return response;
    };
    const changed = await send('PUT', `/api/keys/${customer.proxyKeyId}`, { allowedIps: ['10.0.0.0/8'] });
    expect(changed.body).toMatchObject({ allowedIps: ['10.0.0.0/8'] });
    const made = await send('POST', '/api/keys', { name: 'ci', allowedIps: [office] });
    expect(made.status).toBe(201);
    const ada = await people.sign();
    expect(await people.refusal('POST', '/api/billing-keys', ada, { name: 'b', allowedIps: [office] })).toEqual([
      400,
      'invalid_parameter',
    ]);
  });

  test('with a bad entry is refused by its place', async () => {
    const ada = await people.sign();
    const body = { name: 'ci', allowedIps: [office, '10.1.2.3/8'] };
    const { status, error } = await call<ErrorBody>('POST', '/api/proxy-keys', ada, { body });
    expect([status, error?.param]).toEqual([400, 'allowedIps[1]']);
  });
});
