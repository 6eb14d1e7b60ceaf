/** Dimensions of an organization: what can be asked for and by whom, usage and requests by them, and what is erased. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import type { requestsQuery } from '../../../../admin/api/money/requests-schemas.ts';
import type { usageSchema } from '../../../../admin/api/money/usage-docs.ts';
import type { dimensionsSchema } from '../../../../admin/api/organizations/dimensions/dimension-schemas.ts';
import { applyCharges } from '../../../../admin/ledger/charges/apply-charges.ts';
import type { Charge } from '../../../../admin/ledger/charges/read-usage-entry.ts';
import { startOfDay } from '../../../../shared/days-of-zone.ts';
import { type Harness, startHarness } from '../../../harness.ts';
import { chargeOf } from '../../ledger/ledger.ts';
import type { CreatedKey } from '../response-types.ts';
import { type Api, goodPassword, startApi } from '../start-api.ts';
import { People, type Person } from './people.ts';

type Dimensions = typeof dimensionsSchema.static;
type Usage = typeof usageSchema.static;
interface Listed {
  readonly nextCursor: string | null;
  readonly requests: { readonly requestId: string; readonly booked: string }[];
}

const path = '/api/organization/dimensions';

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

const read = (by: Person) => people.ok<Dimensions>('GET', path, by);
const change = (by: Person, body: object) => people.ok<Dimensions>('PUT', path, by, body);
const usageBy = (by: Person, groupBy: string, more: Record<string, string> = {}) =>
  people.ok<Usage>('GET', `/api/usage?${new URLSearchParams({ groupBy, ...more })}`, by);
const pageOf = (by: Person, query: typeof requestsQuery.static) => {
  const texts = Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)]));
  return people.ok<Listed>('GET', `/api/requests?${new URLSearchParams(texts)}`, by);
};
const listed = async (by: Person, query: typeof requestsQuery.static) => (await pageOf(by, query)).requests;
const listedInPages = async (by: Person, query: typeof requestsQuery.static) => {
  const found: Listed['requests'][number][] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await pageOf(by, { ...query, ...(cursor !== undefined && { cursor }) });
    found.push(...page.requests);
    cursor = page.nextCursor;
  }
  return found;
};

async function organization() {
  const ada = await people.sign();
  const { id: accountId } = await people.organizationOf(ada);
  const key = await people.ok<CreatedKey>('POST', '/api/proxy-keys', ada, { name: 'production' });
  const charge = (dimensions: Charge['detail']['dimensions'], more: Partial<Charge> = {}): Charge => {
    const base = chargeOf(accountId, { keyId: key.id, ...more });
    return { ...base, detail: { ...base.detail, dimensions } };
  };
  return { ada, accountId, charge };
}

describe('the setting', () => {
  test('asks for nothing at first, changes what is sent, and remembers what it was', async () => {
    const ada = await people.sign();
    expect(await read(ada)).toEqual({ metadata: [], user: false, former: [] });
    expect(await change(ada, { metadata: ['team', 'feature'], user: true })).toEqual({
      ...{ metadata: ['team', 'feature'], user: true, former: [] },
    });
    expect(await change(ada, { metadata: ['feature'] })).toEqual({
      ...{ metadata: ['feature'], user: true, former: ['metadata.team'] },
    });
    expect(await change(ada, { user: false })).toMatchObject({ former: ['user', 'metadata.team'] });
    expect(await change(ada, { metadata: ['team', 'a', 'b.c', 'd-e', 'F_1'] })).toEqual({
      ...{ metadata: ['team', 'a', 'b.c', 'd-e', 'F_1'], user: false, former: ['user', 'metadata.feature'] },
    });
    const { entries } = await people.ok<{ entries: { action: string; after: object | null }[] }>(
      'GET',
      '/api/organization/audit?action=dimensions.update',
      ada,
    );
    expect(entries[0]).toMatchObject({ action: 'dimensions.update', after: { user: false } });
  });

  test.each([
    [{}, 'missing_parameter'],
    [{ metadata: ['a', 'b', 'c', 'd', 'e', 'f'] }, 'invalid_parameter'],
    [{ metadata: ['a', 'a'] }, 'invalid_parameter'],
    [{ metadata: [''] }, 'invalid_parameter'],
    [{ metadata: ['a b'] }, 'invalid_parameter'],
    [{ metadata: ['a,b'] }, 'invalid_parameter'],
    [{ metadata: ['команда'] }, 'invalid_parameter'],
    [{ metadata: ['a'.repeat(65)] }, 'invalid_parameter'],
    [{ metadata: 'team' }, 'invalid_parameter'],
    [{ metadata: null }, 'invalid_parameter'],
    [{ user: 'yes' }, 'invalid_parameter'],
    [{ former: [] }, 'invalid_parameter'],
  ])('is refused as %j', async (body, code) => {
    const ada = await people.sign();
    expect(await people.refusal('PUT', path, ada, body)).toEqual([400, code]);
    expect(await read(ada)).toEqual({ metadata: [], user: false, former: [] });
  });

  test('at the same moment by several ends as one of them, without a deadlock with charges', async () => {
    const { ada, charge } = await organization();
    await change(ada, { metadata: ['a'], user: true });
    const names = ['b', 'c', 'd', 'e'];
    await Promise.all([
      ...names.map((name) => change(ada, { metadata: [name] })),
      ...names.map((name) => applyCharges(harness.database.sql, [charge({ user: name, 'metadata.a': name })])),
    ]);
    const { metadata, former } = await read(ada);
    expect(names).toContain(metadata[0] ?? '');
    expect(former).toHaveLength(4);
  });
});

describe('usage', () => {
  test('is grouped by a dimension and anything else, adds up to the total, and its requests are found', async () => {
    const { ada, accountId, charge } = await organization();
    await change(ada, { metadata: ['team'], user: true });
    await people.ok('PUT', '/api/organization', ada, { timeZone: 'Asia/Kathmandu' });
    const timeZone = 'Asia/Kathmandu';
    const day = (offset: number) => new Date(startOfDay('2030-03-01', timeZone).getTime() + offset);
    const sums = fc.array(
      fc.record({
        user: fc.constantFrom(null, 'ada', 'bob'),
        team: fc.constantFrom(null, 'search', '=1+1'),
        model: fc.constantFrom('m1', 'm2'),
        costNano: fc.bigInt({ min: 1n, max: 10n ** 12n }),
        estimateNano: fc.option(fc.bigInt({ min: 1n, max: 10n ** 12n })),
        afterMs: fc.nat(3 * 86_400_000),
      }),
      { minLength: 80, maxLength: 80 },
    );
    const [list = []] = fc.sample(sums, { numRuns: 1, seed: 7 });
    const charges = list.flatMap(({ user, team, model, costNano, estimateNano, afterMs }) => {
      const values = { ...(user && { user }), ...(team && { 'metadata.team': team }) };
      const final = charge(values, { costNano, chargedAt: day(afterMs) });
      const ofModel = { ...final, detail: { ...final.detail, model } };
      return estimateNano === null ? [ofModel] : [{ ...ofModel, rank: 1 as const, costNano: estimateNano }, ofModel];
    });
    for (let start = 0; start < charges.length; start += 9)
      await applyCharges(harness.database.sql, charges.slice(start, start + 9));
    const range = { from: '2030-03-01', to: '2030-03-04', timeZone };
    const nano = (usd: string) => BigInt(Math.round(Number(usd) * 1e9));
    const sumOf = ({ usage }: Usage) => usage.reduce((sum, { cost }) => sum + nano(cost), 0n);
    const total = list.reduce((sum, { costNano }) => sum + costNano, 0n);
    for (const groupBy of ['user', 'metadata.team', 'day,user', 'metadata.team,model', 'hour,key,user'])
      expect(sumOf(await usageBy(ada, groupBy, range))).toBe(total);
    const { usage: groups } = await usageBy(ada, 'user,model', range);
    expect(groups).toHaveLength(6);
    for (const { user = null, model = '', cost, requests } of groups) {
      const own = list.filter((each) => each.user === user && each.model === model);
      expect([nano(cost), requests]).toEqual([own.reduce((sum, each) => sum + each.costNano, 0n), own.length]);
      const query = {
        ...{ dimension: 'user', model, replaced: 'true' as const, from: day(0).toISOString() },
        ...(user !== null && { value: user }),
      };
      const found = await listed(ada, { ...query, limit: 100 });
      expect(await listedInPages(ada, { ...query, limit: 4 })).toEqual(found);
      expect(found.reduce((sum, { booked }) => sum + nano(booked), 0n)).toBe(nano(cost));
    }
    const [days] = [await usageBy(ada, 'day,metadata.team', range)];
    for (const group of days.usage) {
      const from = startOfDay(group.day ?? '', timeZone).getTime();
      const own = list.filter(
        ({ team, afterMs }) =>
          team === (group.metadata?.team ?? null) &&
          day(afterMs).getTime() >= from &&
          day(afterMs).getTime() < from + 86_400_000,
      );
      expect(nano(group.cost)).toBe(own.reduce((sum, { costNano }) => sum + costNano, 0n));
    }
    const file = await fetch(
      `${api.url}/api/usage/export?${new URLSearchParams({ groupBy: 'metadata.team', ...range })}`,
      {
        headers: { authorization: `Bearer ${ada.token}` },
      },
    );
    expect(await file.text()).toContain("metadata.team,'=1+1");
    expect(accountId).toBeGreaterThan(0);
  });

  test('of before, of a former dimension and of an unknown one', async () => {
    const { ada, charge } = await organization();
    const { sql } = harness.database;
    await applyCharges(sql, [charge({ user: 'early' })]);
    expect(await people.refusal('GET', '/api/usage?groupBy=user', ada)).toEqual([400, 'invalid_parameter']);
    expect(await people.refusal('GET', '/api/requests?dimension=user', ada)).toEqual([400, 'invalid_parameter']);
    await change(ada, { user: true, metadata: ['team'] });
    await applyCharges(sql, [charge({ user: 'ada' }), charge(null)]);
    await change(ada, { user: false });
    expect((await usageBy(ada, 'user')).usage).toMatchObject([
      { user: 'ada', requests: 1 },
      { user: null, requests: 2 },
    ]);
    expect((await usageBy(ada, 'metadata.team')).usage).toMatchObject([{ metadata: { team: null }, requests: 3 }]);
    for (const groupBy of ['user,metadata.team', 'metadata.teams', 'metadata.', 'users'])
      expect(await people.refusal('GET', `/api/usage?groupBy=${groupBy}`, ada)).toEqual([400, 'invalid_parameter']);
    expect(await people.refusal('GET', '/api/requests?value=ada', ada)).toEqual([400, 'invalid_parameter']);
    expect(await people.refusal('GET', '/api/requests?dimension=user&value=%00', ada)).toEqual([
      400,
      'invalid_parameter',
    ]);
    expect(await listed(ada, { dimension: 'user', value: 'ada' })).toHaveLength(1);
    expect(await listed(ada, { dimension: 'user' })).toHaveLength(2);
    expect(await listed(ada, { dimension: 'user', value: 'early' })).toHaveLength(0);
  });

  test('of a member is that of their own keys', async () => {
    const { ada, charge } = await organization();
    const bob = await people.sign();
    await people.join(ada, bob, 'member');
    await change(ada, { user: true });
    const key = await people.ok<CreatedKey>('POST', '/api/proxy-keys', bob, { name: 'bob' });
    await applyCharges(harness.database.sql, [
      charge({ user: 'u' }),
      charge({ user: 'u' }, { keyId: key.id }),
      charge(null),
    ]);
    expect((await usageBy(bob, 'user')).usage).toMatchObject([{ user: 'u', requests: 1 }]);
    expect((await usageBy(ada, 'member,user')).usage).toHaveLength(3);
    expect(await listed(bob, { dimension: 'user', value: 'u' })).toHaveLength(1);
    expect(await people.refusal('PUT', path, bob, { user: false })).toEqual([403, 'role_required']);
    expect(await read(bob)).toMatchObject({ user: true });
  });

  test('cannot be grouped by what only another organization asks for', async () => {
    const [one, other] = [await organization(), await organization()];
    await change(one.ada, { user: true });
    expect(await people.refusal('GET', '/api/usage?groupBy=user', other.ada)).toEqual([400, 'invalid_parameter']);
  });
});

test('values are erased with the account, and a late charge brings none back', async () => {
  const { ada, accountId, charge } = await organization();
  const { sql } = harness.database;
  await change(ada, { user: true });
  await applyCharges(sql, [charge({ user: 'secret-person' })]);
  const body = { current_password: goodPassword, forfeitBalanceUsd: '0' };
  const deleted = await api.call('DELETE', '/api/account', { token: ada.token, body });
  expect(deleted.status).toBe(200);
  await applyCharges(sql, [charge({ user: 'secret-person' })]);
  const [left] = await sql`
    SELECT (SELECT count(*)::int FROM dimensions WHERE account_id = ${accountId}) AS dimensions,
      (SELECT count(*)::int FROM dimension_values WHERE value LIKE 'secret%') AS texts,
      (SELECT count(*)::int FROM usage_events WHERE account_id = ${accountId}) AS events`;
  expect(left).toEqual({ dimensions: 0, texts: 0, events: 2 });
});
