/** Budgets in the account API: made, changed and deleted, by whom, for what, and how they are seen. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { budgetSchema } from '../../../../admin/api/organizations/budgets/budget-schemas.ts';
import { applyCharges } from '../../../../admin/ledger/charges/apply-charges.ts';
import { rubRate } from '../../../../shared/money.ts';
import { type Harness, startHarness } from '../../../harness.ts';
import { chargeOf } from '../../ledger/ledger.ts';
import type { CreatedKey, ProxyKey } from '../response-types.ts';
import { type Api, startApi } from '../start-api.ts';
import { People, type Person } from './people.ts';

type Budget = typeof budgetSchema.static;

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

const create = (by: Person, body: object) => people.ok<Budget>('POST', '/api/budgets', by, body);
const list = async (by: Person) => (await people.ok<{ budgets: Budget[] }>('GET', '/api/budgets', by)).budgets;
const createKey = (by: Person, body: object = {}) =>
  people.ok<CreatedKey>('POST', '/api/proxy-keys', by, { name: 'production', ...body });
const createProject = (by: Person, name: string) => people.ok<{ id: number }>('POST', '/api/projects', by, { name });

async function accountOf({ id }: Person): Promise<number> {
  const [user] = await harness.database.sql`SELECT account_id FROM users WHERE id = ${id}`;
  return Number(user?.account_id);
}

test('a budget of each scope is made, listed, changed and deleted', async () => {
  const ada = await people.sign();
  const project = await createProject(ada, 'Bot');
  const key = await createKey(ada, { projectId: project.id });
  const month = await create(ada, { scope: 'organization', period: 'month', amount: '50' });
  expect(month).toEqual({
    id: 'organization-month',
    scope: 'organization',
    scopeId: null,
    scopeName: null,
    period: 'month',
    ...{ amount: 50, amountUsd: '50', spent: 0, spentUsd: '0', reserved: 0, reservedUsd: '0' },
    alertsAt: [50, 80, 100],
    resetsAt: expect.stringMatching(/^\d{4}-\d\d-01T00:00:00\.000Z$/),
  });
  await create(ada, { scope: 'project', scopeId: project.id, period: 'day', amount: 5, alertsAt: [90, 10] });
  await create(ada, { scope: 'member', scopeId: ada.id, period: 'week', amount: '7.5', alertsAt: [] });
  await create(ada, { scope: 'key', scopeId: key.id, period: 'total', amount: '1' });
  expect((await list(ada)).map(({ id, scopeName, alertsAt }) => [id, scopeName, alertsAt])).toEqual([
    ['organization-month', null, [50, 80, 100]],
    [`project-${project.id}-day`, 'Bot', [10, 90]],
    [`member-${ada.id}-week`, ada.email, []],
    [`key-${key.id}-total`, 'production', []],
  ]);
  expect(await people.ok('PUT', '/api/budgets/organization-month', ada, { amount: '60', alertsAt: [100] })).toEqual({
    ...month,
    ...{ amount: 60, amountUsd: '60', alertsAt: [100] },
  });
  for (const { id } of await list(ada)) await people.ok('DELETE', `/api/budgets/${id}`, ada);
  expect(await list(ada)).toEqual([]);
});

test('what was spent while a budget had no alerts counts for those that it is given', async () => {
  const ada = await people.sign();
  const accountId = await accountOf(ada);
  const key = await createKey(ada);
  const terms = { rate: { rubPerUsd: rubRate(900_000n), date: null, source: 'configured' as const }, at: new Date() };
  const spend = (costNano: bigint) =>
    applyCharges(harness.database.sql, [chargeOf(accountId, { keyId: key.id, costNano })], terms);
  const alertAt = (alertsAt: number[]) => people.ok('PUT', '/api/budgets/organization-total', ada, { alertsAt });
  await create(ada, { scope: 'organization', period: 'total', amount: '0.000001', alertsAt: [50] });
  await spend(200n);
  await alertAt([]);
  await spend(400n);
  await alertAt([50]);
  await spend(1n);
  const mails = await harness.database.sql`
    SELECT data->>'spentNano' AS spent FROM mails WHERE account_id = ${accountId} AND kind = 'budget_alert'`;
  expect(mails.map(({ spent }) => spent)).toEqual(['601']);
});

test('the budget of a key is its spending limit', async () => {
  const ada = await people.sign();
  const { id } = await createKey(ada, { limits: { spendLimits: { week: '3' } } });
  expect(await list(ada)).toMatchObject([{ id: `key-${id}-week`, amountUsd: '3' }]);
  await people.ok('PUT', `/api/budgets/key-${id}-week`, ada, { amount: '4' });
  const { keys } = await people.ok<{ keys: ProxyKey[] }>('GET', '/api/proxy-keys', ada);
  expect(keys[0]?.limits.spendLimits).toMatchObject({ weekUsd: '4', dayUsd: null });
  const again = { scope: 'key', scopeId: id, period: 'week', amount: 1 };
  expect(await people.refusal('POST', '/api/budgets', ada, again)).toEqual([409, 'budget_exists']);
});

describe('bad input is refused, and changes nothing', () => {
  const month = { scope: 'organization', period: 'month', amount: '1' };
  const bad: readonly [body: object, status: number, code: string][] = [
    [{}, 400, 'missing_parameter'],
    [{ ...month, amount: 0 }, 400, 'invalid_parameter'],
    [{ ...month, amount: '-1' }, 400, 'invalid_parameter'],
    [{ ...month, amount: '0.0000000001' }, 400, 'invalid_parameter'],
    [{ ...month, amount: '1000000000000000000' }, 400, 'invalid_parameter'],
    [{ ...month, amount: 9_000_001 }, 400, 'invalid_parameter'],
    [{ ...month, period: 'year' }, 400, 'invalid_parameter'],
    [{ ...month, scope: 'team' }, 400, 'invalid_parameter'],
    [{ ...month, scopeId: 999_999_999 }, 400, 'invalid_parameter'],
    [{ ...month, alertsAt: [0] }, 400, 'invalid_parameter'],
    [{ ...month, alertsAt: [101] }, 400, 'invalid_parameter'],
    [{ ...month, alertsAt: [50, 50] }, 400, 'invalid_parameter'],
    [{ ...month, alertsAt: [1, 2, 3, 4, 5, 6] }, 400, 'invalid_parameter'],
    [{ ...month, scope: 'project' }, 400, 'missing_parameter'],
    [{ ...month, scope: 'project', scopeId: 999_999_999 }, 404, 'not_found'],
    [{ ...month, scope: 'member', scopeId: 999_999_999 }, 404, 'not_found'],
    [{ ...month, scope: 'key', scopeId: 999_999_999 }, 404, 'not_found'],
    [{ ...month, scope: 'key', scopeId: 999_999_999, alertsAt: [50] }, 400, 'invalid_parameter'],
    [{ ...month, accountId: 5 }, 400, 'invalid_parameter'],
  ];
  test.each(bad)('%p', async (body, status, code) => {
    const ada = await people.sign();
    expect(await people.refusal('POST', '/api/budgets', ada, body)).toEqual([status, code]);
    expect(await list(ada)).toEqual([]);
  });

  test('what another organization has, an unknown id, and nothing to change', async () => {
    const [ada, eve] = [await people.sign(), await people.sign()];
    const hers = await createProject(eve, 'Hers');
    const herKey = await createKey(eve);
    for (const [scope, scopeId] of [
      ['project', hers.id],
      ['member', eve.id],
      ['key', herKey.id],
    ] as const) {
      const body = { ...month, scope, scopeId };
      expect(await people.refusal('POST', '/api/budgets', ada, body)).toEqual([404, 'not_found']);
    }
    await create(ada, month);
    for (const id of [
      'organization-day',
      'project-7-month',
      'x',
      'organization-1-month',
      'key-01-day',
      `project-${hers.id}-day`,
    ]) {
      expect(await people.refusal('PUT', `/api/budgets/${id}`, ada, { amount: 1 })).toEqual([404, 'not_found']);
      expect(await people.refusal('DELETE', `/api/budgets/${id}`, ada)).toEqual([404, 'not_found']);
    }
    expect(await people.refusal('PUT', '/api/budgets/organization-month', ada, {})).toEqual([400, 'missing_parameter']);
  });
});

test('two budgets of one scope and period are not made at the same moment either', async () => {
  const ada = await people.sign();
  const body = { scope: 'organization', period: 'day', amount: '1' };
  const made = await Promise.all(
    Array.from({ length: 6 }, () => api.call('POST', '/api/budgets', { token: ada.token, body })),
  );
  expect(made.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409, 409]);
});

test('a member sees the budgets that apply to their keys, and changes none', async () => {
  const [ada, bob] = [await people.sign(), await people.sign()];
  await people.join(ada, bob, 'member');
  const [own, other] = [await createProject(ada, 'Own'), await createProject(ada, 'Other')];
  const { id } = await createKey(bob);
  await people.ok('PUT', `/api/proxy-keys/${id}`, ada, { projectId: own.id });
  for (const scopeId of [own.id, other.id]) await create(ada, { scope: 'project', scopeId, period: 'day', amount: 1 });
  for (const scopeId of [ada.id, bob.id]) await create(ada, { scope: 'member', scopeId, period: 'day', amount: 1 });
  await create(ada, { scope: 'organization', period: 'day', amount: 1 });
  await create(ada, { scope: 'key', scopeId: id, period: 'day', amount: 1 });
  expect((await list(bob)).map((budget) => budget.id)).toEqual([
    'organization-day',
    `project-${own.id}-day`,
    `member-${bob.id}-day`,
    `key-${id}-day`,
  ]);
  for (const [method, path] of [
    ['POST', ''],
    ['PUT', '/organization-day'],
    ['DELETE', '/organization-day'],
  ] as const) {
    expect(await people.refusal(method, `/api/budgets${path}`, bob, {})).toEqual([403, 'role_required']);
  }
  await people.ok('DELETE', `/api/members/${bob.id}`, ada);
  expect((await list(ada)).some((budget) => budget.id === `member-${bob.id}-day`)).toBe(false);
});

test('a member who lifts the limit of their own key keeps the budget that an admin has given them', async () => {
  const [ada, bob] = [await people.sign(), await people.sign()];
  await people.join(ada, bob, 'member');
  const { id } = await createKey(bob);
  await create(ada, { scope: 'key', scopeId: id, period: 'day', amount: 1 });
  await create(ada, { scope: 'member', scopeId: bob.id, period: 'day', amount: 2 });
  await people.ok('PUT', `/api/proxy-keys/${id}`, bob, { limits: { spendLimits: { day: null } } });
  const listed = async (by: Person) => (await list(by)).map((budget) => [budget.id, budget.amountUsd]);
  expect(await listed(bob)).toEqual([[`member-${bob.id}-day`, '2']]);
  expect(await people.refusal('PUT', `/api/budgets/member-${bob.id}-day`, bob, { amount: 3 })).toEqual([
    403,
    'role_required',
  ]);
  expect(await listed(ada)).toEqual([[`member-${bob.id}-day`, '2']]);
});

test('what was spent counts from the beginning of the period in the time zone of the organization', async () => {
  const ada = await people.sign();
  const accountId = await accountOf(ada);
  const project = await createProject(ada, 'Bot');
  const key = await createKey(ada, { projectId: project.id });
  const hourMs = 3_600_000;
  const now = new Date();
  const charge = (at: Date, costNano: bigint) =>
    applyCharges(harness.database.sql, [chargeOf(accountId, { keyId: key.id, chargedAt: at, costNano })]);
  await charge(now, 1n);
  await charge(new Date(now.getTime() - 26 * hourMs), 10n);
  await charge(new Date(now.getTime() - 40 * 24 * hourMs), 100n);
  for (const period of ['day', 'week', 'month', 'total']) {
    await create(ada, { scope: 'project', scopeId: project.id, period, amount: '1' });
  }
  for (const timeZone of ['UTC', 'Pacific/Kiritimati', 'Pacific/Pago_Pago']) {
    await people.ok('PUT', '/api/organization', ada, { timeZone });
    const { plainDate } = { plainDate: Temporal.Now.zonedDateTimeISO(timeZone).toPlainDate() };
    const before = Temporal.Instant.fromEpochMilliseconds(now.getTime() - 26 * hourMs)
      .toZonedDateTimeISO(timeZone)
      .toPlainDate();
    const monday = plainDate.subtract({ days: plainDate.dayOfWeek - 1 });
    const first = plainDate.with({ day: 1 });
    const isSince = (day: Temporal.PlainDate) => Temporal.PlainDate.compare(before, day) >= 0;
    const nano = (isIn: boolean) => (isIn ? '0.000000011' : '0.000000001');
    expect((await list(ada)).map(({ period, spentUsd }) => [period, spentUsd])).toEqual([
      ['day', '0.000000001'],
      ['week', nano(isSince(monday))],
      ['month', nano(isSince(first))],
      ['total', '0.000000111'],
    ]);
  }
});

test('what is done is in the audit log', async () => {
  const ada = await people.sign();
  await create(ada, { scope: 'organization', period: 'day', amount: '1' });
  await people.ok('PUT', '/api/budgets/organization-day', ada, { amount: '2' });
  await people.ok('DELETE', '/api/budgets/organization-day', ada);
  const { entries } = await people.ok<{ entries: object[] }>('GET', '/api/organization/audit', ada);
  const subject = 'budget organization-day';
  const [one, two] = ['1', '2'].map((amount) => ({ amount, alertsAt: [50, 80, 100] }));
  expect(entries).toMatchObject([
    { action: 'budget.delete', subject, before: two },
    { action: 'budget.update', subject, before: one, after: two },
    { action: 'budget.create', subject, after: one },
  ]);
});
