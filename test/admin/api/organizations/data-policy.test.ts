/** Which providers may see requests: the data policy of an organization, and those of its keys, as the API takes and shows them. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { organizationPolicySchema } from '../../../../admin/api/organizations/data-policy/data-policy-schemas.ts';
import { type DataPolicyInput, policyEntriesMax } from '../../../../admin/keys/data-policy.ts';
import { hashKey } from '../../../../shared/keys/api-key.ts';
import type { DataPolicy } from '../../../../shared/keys/data-policy.ts';
import { decodeKeyRules } from '../../../../shared/keys/key-rules.ts';
import { withoutNullish } from '../../../../shared/members.ts';
import { shardOfAccount } from '../../../../shared/wallet/shard.ts';
import { namedCatalogue, providerNames as names } from '../../../harness/providers/named-catalogue.ts';
import { SeededRandom } from '../../../harness/seeded-random.ts';
import { type Harness, startHarness } from '../../../harness.ts';
import type { CreatedKey, ProxyKey } from '../response-types.ts';
import { type Api, startApi } from '../start-api.ts';
import { People, type Person } from './people.ts';

type Policy = typeof organizationPolicySchema.static;

const path = '/api/organization/data-policy';
const nothing = { dataCollection: 'allow' as const, zdr: false, countries: [], only: [], ignore: [] };

let harness: Harness;
let api: Api;
let people: People;
beforeAll(async () => {
  harness = await startHarness();
  await applyProviders(names);
  api = await startApi(harness);
  people = new People(harness, api);
});
afterAll(async () => {
  await api.stop();
  await harness.stop();
});

const applyProviders = (publicNames: readonly string[]) =>
  harness.applyCatalogue(namedCatalogue('http://127.0.0.1:9/v1', publicNames));

const read = (by: Person) => people.ok<Policy>('GET', path, by);
const put = (by: Person, body: object) => people.ok<Policy>('PUT', path, by, body);
const create = (by: Person, body: object) =>
  people.ok<CreatedKey>('POST', '/api/proxy-keys', by, { name: 'production', ...body });
const change = (by: Person, id: number, body: object) => people.ok<ProxyKey>('PUT', `/api/proxy-keys/${id}`, by, body);
const keysOf = async (by: Person) => (await people.ok<{ keys: ProxyKey[] }>('GET', '/api/proxy-keys', by)).keys;

const auditOf = async (by: Person, action: string) => {
  type Entries = { entries: { action: string; before: unknown; after: unknown }[] };
  const { entries } = await people.ok<Entries>('GET', '/api/organization/audit', by);
  return entries.filter((entry) => entry.action === action).map(({ before, after }) => ({ before, after }));
};

/** The policies that proxies find with the key. */
async function published(by: Person, key: string) {
  const { id } = await people.organizationOf(by);
  const at = `{s${shardOfAccount(id)}}:key:${hashKey(key, harness.keyPepper)}`;
  const { addressesMark: mark = '', addresses: text = '' } = await harness.redis.hgetall(at);
  const policies = decodeKeyRules({ mark, text })?.dataPolicies ?? [];
  return Object.fromEntries(policies.map(({ owner, policy }) => [owner, policy]));
}

describe('canonical policies', () => {
  const random = new SeededRandom(20_261_128);
  const someOf = (items: readonly string[]) => {
    const picked = Array.from({ length: random.integer(0, 5) }, () => random.pickIfAny(items) ?? []).flat();
    return { picked, written: picked.map(disguise) };
  };
  /** As somebody may type it. */
  const disguise = (entry: string) => {
    const letters = [...entry].map((letter) => (random.chance(0.5) ? letter.toUpperCase() : letter.toLowerCase()));
    return `${random.chance(0.2) ? ' ' : ''}${letters.join('')}`;
  };

  /** One as it is written, and what is stored of it. */
  function anyPolicy(): { written: DataPolicyInput; stored: DataPolicy | null } {
    const [denies, zdr] = [random.chance(0.5), random.chance(0.5)];
    const countries = someOf(['DE', 'FR', 'KZ', 'US']);
    const only = someOf(names);
    const ignore = someOf(names.filter((name) => !only.picked.includes(name)));
    const written = {
      ...(random.chance(0.8) && { countries: countries.written }),
      ...(random.chance(0.8) && { only: only.written }),
      ...(random.chance(0.8) && { ignore: ignore.written }),
      ...{ dataCollection: denies ? ('deny' as const) : ('allow' as const), zdr },
    };
    const kept = Object.entries({ countries, only, ignore }).flatMap(([name, { picked }]) =>
      name in written && picked.length > 0 ? [[name, [...new Set(picked)]]] : [],
    );
    const stored = {
      ...(denies && { dataCollection: 'deny' }),
      ...(zdr && { zdr }),
      ...Object.fromEntries(kept),
    };
    return { written, stored: Object.keys(stored).length === 0 ? null : stored };
  }

  test('of an organization and a key are returned and published as they are stored', async () => {
    const ada = await people.sign();
    const { id, key } = await create(ada, {});
    for (let round = 0; round < 40; round++) {
      const [ofOrganization, ofKey] = [anyPolicy(), anyPolicy()];
      const { providers, ...changed } = await put(ada, ofOrganization.written);
      expect(providers).toEqual(names);
      expect<object>(changed).toEqual({ ...nothing, ...ofOrganization.stored });
      expect(await read(ada)).toEqual({ ...changed, providers });
      const { dataPolicy } = await change(ada, id, { dataPolicy: ofKey.written });
      expect<object | null>(dataPolicy).toEqual(ofKey.stored && { ...nothing, ...ofKey.stored });
      const stored = withoutNullish({ organization: ofOrganization.stored, key: ofKey.stored });
      expect<object>(await published(ada, key)).toEqual(stored);
    }
  });
});

describe('the policy of an organization', () => {
  test('demands nothing at first, is replaced as a whole, and is in the audit log', async () => {
    const ada = await people.sign();
    expect(await read(ada)).toEqual({ ...nothing, providers: names });
    await put(ada, { zdr: true, countries: ['de'] });
    expect(await put(ada, { dataCollection: 'deny' })).toMatchObject({ ...nothing, dataCollection: 'deny' });
    await put(ada, nothing);
    const after = [{ zdr: true, countries: ['DE'] }, { dataCollection: 'deny' }, null].map((dataPolicy) => ({
      dataPolicy,
    }));
    expect(await auditOf(ada, 'organization.update')).toEqual([
      { before: after[1], after: after[2] },
      { before: after[0], after: after[1] },
      { before: { dataPolicy: null }, after: after[0] },
    ]);
  });

  test('that is sent again changes nothing, and one of addresses stays as it is', async () => {
    const ada = await people.sign();
    await people.ok('PUT', '/api/organization/ip-allow-list', ada, { entries: ['203.0.113.7'] });
    await put(ada, { zdr: true, only: ['azure'] });
    const versions = () => harness.database.sql`SELECT id, version FROM api_keys ORDER BY id`;
    const before = await versions();
    await put(ada, { only: ['AZURE', 'azure'], zdr: true, ignore: [] });
    expect(await versions()).toEqual(before);
    expect(await auditOf(ada, 'organization.update')).toHaveLength(2);
    const list = await people.ok<{ entries: string[] }>('GET', '/api/organization/ip-allow-list', ada);
    expect(list.entries).toEqual(['203.0.113.7']);
  });

  test('is read by every member, and changed by owners', async () => {
    const [ada, bob, cyd] = [await people.sign(), await people.sign(), await people.sign()];
    await people.join(ada, bob, 'admin');
    await people.join(ada, cyd, 'member');
    await put(ada, { zdr: true });
    for (const member of [bob, cyd]) {
      expect(await read(member)).toMatchObject({ zdr: true });
      expect(await people.refusal('PUT', path, member, nothing)).toEqual([403, 'role_required']);
    }
    expect(await read(ada)).toMatchObject({ zdr: true });
  });

  test('is not lifted by an empty body', async () => {
    const ada = await people.sign();
    await put(ada, { zdr: true });
    expect(await people.refusal('PUT', path, ada, {})).toEqual([400, 'missing_parameter']);
    expect(await read(ada)).toMatchObject({ zdr: true });
  });
});

describe('the policy of a key', () => {
  test('is set when the key is created, changed, sent back, kept by a rotation, and removed', async () => {
    const ada = await people.sign();
    const { id, key } = await create(ada, { dataPolicy: { countries: ['de', 'DE'] } });
    const german = { ...nothing, countries: ['DE'] };
    const [listed] = await keysOf(ada);
    expect(listed).toMatchObject({ id, dataPolicy: german });
    expect(await change(ada, id, { ...listed, name: 'renamed' })).toMatchObject({ dataPolicy: german });
    expect(await change(ada, id, { name: 'again' })).toMatchObject({ dataPolicy: german });
    const rotated = await people.ok<CreatedKey>('POST', `/api/proxy-keys/${id}/rotate`, ada, {});
    expect((await keysOf(ada)).find((key) => key.id === rotated.id)).toMatchObject({ dataPolicy: german });
    expect(await published(ada, rotated.key)).toEqual({ key: { countries: ['DE'] } });
    expect(await change(ada, id, { dataPolicy: nothing })).toMatchObject({ dataPolicy: null });
    expect(await change(ada, id, { dataPolicy: { zdr: true } })).toMatchObject({ dataPolicy: { zdr: true } });
    expect(await change(ada, id, { dataPolicy: null })).toMatchObject({ dataPolicy: null });
    expect(await published(ada, key)).toEqual({});
    expect(await auditOf(ada, 'key.update')).toMatchObject([
      { before: { dataPolicy: { zdr: true } }, after: { dataPolicy: null } },
      { before: { dataPolicy: null }, after: { dataPolicy: { zdr: true } } },
      { before: { dataPolicy: { countries: ['DE'] } }, after: { dataPolicy: null } },
      ...[{}, {}],
    ]);
    expect(await auditOf(ada, 'key.create')).toMatchObject([{ after: { dataPolicy: { countries: ['DE'] } } }]);
  });

  test('that names a provider which has left the catalogue can be sent back, and not be made again', async () => {
    const ada = await people.sign();
    await applyProviders([...names, 'former']);
    const { id } = await create(ada, { dataPolicy: { ignore: ['former'] } });
    await applyProviders(names);
    const [listed] = await keysOf(ada);
    expect(await change(ada, id, { ...listed, name: 'renamed' })).toMatchObject({ dataPolicy: { ignore: ['former'] } });
    const again = { name: 'again', dataPolicy: listed?.dataPolicy };
    expect(await people.refusal('POST', '/api/proxy-keys', ada, again)).toEqual([400, 'invalid_parameter']);
  });

  test('is not accepted for a billing key, which sends no requests', async () => {
    const ada = await people.sign();
    const body = { name: 'b', dataPolicy: { zdr: true } };
    expect(await people.refusal('POST', '/api/billing-keys', ada, body)).toEqual([400, 'invalid_parameter']);
  });
});

describe.each([
  [{ countries: ['DE', 'EU'] }, 'countries[1]', 'ISO 3166-1, such as DE'],
  [{ countries: ['UK'] }, 'countries[0]', 'ISO 3166-1'],
  [{ countries: ['Germany'] }, 'countries[0]', 'ISO 3166-1'],
  [{ countries: [''] }, 'countries[0]', 'the code of a country'],
  [{ countries: 'DE' }, 'countries', 'a list of at most 50 codes of countries'],
  [{ only: ['azure', 'asure'] }, 'only[1]', 'the name of a provider: azure, openai, yandex'],
  [{ only: [7] }, 'only[0]', 'the name of a provider'],
  [{ only: ['azure'], ignore: ['openai', 'Azure'] }, 'ignore[1]', "azure is also in 'only'"],
  [{ ignore: Array.from({ length: policyEntriesMax + 1 }, () => 'azure') }, 'ignore', 'at most 50 names of providers'],
  [{ dataCollection: 'never' }, 'dataCollection', 'allow or deny'],
  [{ zdr: 'yes' }, 'zdr', 'true or false'],
  [{ zdr: true, trains: false }, 'trains', 'Unknown parameter'],
])('the policy %p is refused', (policy, param, message) => {
  test.each([
    ['an organization', 'PUT', path, policy, param],
    ['a key', 'POST', '/api/proxy-keys', { name: 'ci', dataPolicy: policy }, `dataPolicy.${param}`],
  ])('of %s, by what is wrong', async (_whose, method, at, body, expected) => {
    const { token } = await people.sign();
    const { status, error } = await api.call(method, at, { token, body });
    expect([status, error?.code, error?.param]).toEqual([400, 'invalid_parameter', expected]);
    expect(error?.message).toContain(message);
  });
});

test('countries are those of ISO 3166-1: no unions, none that has ended, and no codes of private use', async () => {
  const ada = await people.sign();
  const countries = ['AX', 'BQ', 'GB', 'PS', 'RU', 'SS', 'SX', 'TW', 'US', 'ZW'];
  expect(await put(ada, { countries })).toMatchObject({ countries });
  for (const code of ['AN', 'EU', 'SU', 'UK', 'UN', 'XK', 'XX', 'ZZ', 'ß', '12']) {
    const { error } = await api.call('PUT', path, { token: ada.token, body: { countries: [code] } });
    expect([code, error?.param]).toEqual([code, 'countries[0]']);
  }
});

test('a policy that is not an object is refused', async () => {
  const { token } = await people.sign();
  for (const dataPolicy of [true, 'deny', []]) {
    const { error } = await api.call('POST', '/api/proxy-keys', { token, body: { name: 'ci', dataPolicy } });
    expect([error?.code, error?.param]).toEqual(['invalid_parameter', 'dataPolicy']);
  }
});

test('without names in the catalogue, none is offered, and a policy that has one says so', async () => {
  const ada = await people.sign();
  await applyProviders([]);
  expect(await read(ada)).toMatchObject({ providers: [] });
  const { error } = await api.call('PUT', path, { token: ada.token, body: { only: ['azure'] } });
  expect(error?.message).toBe("Invalid value for 'only[0]': the catalogue names no providers.");
  await applyProviders(names);
});
