/** Projects: made, changed, archived and restored, and what keys have to do with them. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import type { projectSchema } from '../../../../admin/api/organizations/projects/project-schemas.ts';
import { projects } from '../../../../admin/database/tables/projects.ts';
import { lockKeysOf } from '../../../../admin/keys/find-key.ts';
import { applyCharges } from '../../../../admin/ledger/charges/apply-charges.ts';
import { projectsMax } from '../../../../admin/organizations/projects.ts';
import { untilWaitingForLock } from '../../../harness/wait-for-lock.ts';
import { type Harness, startHarness } from '../../../harness.ts';
import { chargeOf } from '../../ledger/ledger.ts';
import type { CreatedKey, ProxyKey } from '../response-types.ts';
import { type Api, startApi } from '../start-api.ts';
import { People, type Person } from './people.ts';

type Project = typeof projectSchema.static;

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

const create = (by: Person, body: object) => people.ok<Project>('POST', '/api/projects', by, body);
const change = (by: Person, { id }: Project, body: object) =>
  people.ok<Project>('PUT', `/api/projects/${id}`, by, body);
const list = async (by: Person) => (await people.ok<{ projects: Project[] }>('GET', '/api/projects', by)).projects;
const createKey = (by: Person, body: object = {}) =>
  people.ok<CreatedKey>('POST', '/api/proxy-keys', by, { name: 'production', ...body });
const moveKey = (by: Person, { id }: { id: number }, projectId: number | null) =>
  people.ok<ProxyKey>('PUT', `/api/proxy-keys/${id}`, by, { projectId });
const keysOf = async (by: Person) => (await people.ok<{ keys: ProxyKey[] }>('GET', '/api/proxy-keys', by)).keys;

async function pair(role: 'admin' | 'finance' | 'member' | 'auditor'): Promise<[Person, Person]> {
  const [ada, bob] = [await people.sign(), await people.sign()];
  await people.join(ada, bob, role);
  return [ada, bob];
}

test('a project is made, listed by name, changed, archived and restored', async () => {
  const ada = await people.sign();
  const bot = await create(ada, { name: 'Support bot', description: 'On the website', costCenter: 'CC-40' });
  expect(bot).toEqual({
    id: bot.id,
    name: 'Support bot',
    description: 'On the website',
    costCenter: 'CC-40',
    archived: false,
    keys: 0,
    spend30d: 0,
    spend30dUsd: '0',
    createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
  });
  const analysis = await create(ada, { name: 'analysis' });
  expect((await list(ada)).map(({ name }) => name)).toEqual(['analysis', 'Support bot']);
  expect(await change(ada, bot, { description: null, name: 'Bot' })).toEqual({
    ...bot,
    name: 'Bot',
    description: null,
  });
  expect(await change(ada, analysis, { archived: true })).toMatchObject({ archived: true });
  expect((await list(ada)).map(({ name }) => name)).toEqual(['Bot', 'analysis']);
  expect(await change(ada, analysis, { archived: false })).toEqual(analysis);
});

test('names are unique without regard to case, but for archived projects', async () => {
  const ada = await people.sign();
  const [first, second] = [await create(ada, { name: 'Bot' }), await create(ada, { name: 'Other' })];
  const taken = [409, 'project_exists'];
  expect(await people.refusal('POST', '/api/projects', ada, { name: 'bOT' })).toEqual(taken);
  expect(await people.refusal('PUT', `/api/projects/${second.id}`, ada, { name: 'BOT' })).toEqual(taken);
  await change(ada, first, { name: 'BOT', archived: true });
  await change(ada, second, { name: 'Bot' });
  expect(await people.refusal('PUT', `/api/projects/${first.id}`, ada, { archived: false })).toEqual(taken);
  await change(ada, first, { name: 'Former bot', archived: false });
  // Nothing changes for other organizations.
  await create(await people.sign(), { name: 'Bot' });
});

test('two projects of one name are not made at the same moment either', async () => {
  const ada = await people.sign();
  const made = await Promise.all(
    Array.from({ length: 8 }, () => api.call('POST', '/api/projects', { token: ada.token, body: { name: 'Bot' } })),
  );
  expect(made.map(({ status }) => status).sort()).toEqual([201, ...Array<number>(7).fill(409)]);
});

describe('bad input is refused, and changes nothing', () => {
  const bad: readonly [body: object, status: number, code: string][] = [
    [{}, 400, 'missing_parameter'],
    [{ name: '' }, 400, 'invalid_parameter'],
    [{ name: 'x'.repeat(101) }, 400, 'invalid_parameter'],
    [{ name: 'a\u0000b' }, 400, 'invalid_parameter'],
    [{ name: 'a', costCenter: 'x'.repeat(101) }, 400, 'invalid_parameter'],
    [{ name: 'a', description: 5 }, 400, 'invalid_parameter'],
    [{ name: 'a', accountId: 5 }, 400, 'invalid_parameter'],
  ];
  test.each(bad)('%p', async (body, status, code) => {
    const ada = await people.sign();
    expect(await people.refusal('POST', '/api/projects', ada, body)).toEqual([status, code]);
    expect(await list(ada)).toEqual([]);
  });

  test('a change of nothing, an unknown project, and too many of them', async () => {
    const ada = await people.sign();
    const { id } = await create(ada, { name: 'Bot' });
    expect(await people.refusal('PUT', `/api/projects/${id}`, ada, {})).toEqual([400, 'missing_parameter']);
    expect(await people.refusal('PUT', '/api/projects/999999999', ada, { name: 'x' })).toEqual([404, 'not_found']);
    const { accountId } = await accountOf(ada);
    await harness.database.sql`
      INSERT INTO projects (account_id, name) SELECT ${accountId}, 'p' || n FROM generate_series(2, ${projectsMax}) AS n`;
    expect(await people.refusal('POST', '/api/projects', ada, { name: 'one more' })).toEqual([
      422,
      'too_many_projects',
    ]);
  });
});

async function accountOf({ id }: Person): Promise<{ accountId: number }> {
  const [user] = await harness.database.sql`SELECT account_id FROM users WHERE id = ${id}`;
  return { accountId: Number(user?.account_id) };
}

describe('a key', () => {
  test('is made in a project, moved, and taken out of it', async () => {
    const ada = await people.sign();
    const [bot, other] = [await create(ada, { name: 'Bot' }), await create(ada, { name: 'Other' })];
    const key = await createKey(ada, { projectId: bot.id });
    expect(await keysOf(ada)).toMatchObject([{ id: key.id, projectId: bot.id, state: 'active' }]);
    expect(await moveKey(ada, key, other.id)).toMatchObject({ projectId: other.id });
    expect((await list(ada)).map(({ name, keys }) => [name, keys])).toEqual([
      ['Bot', 0],
      ['Other', 1],
    ]);
    expect(await moveKey(ada, key, null)).toMatchObject({ projectId: null });
  });

  test('cannot be put into an archived or unknown project, or one of another organization', async () => {
    const [ada, eve] = [await people.sign(), await people.sign()];
    const [archived, foreign] = [await create(ada, { name: 'Old' }), await create(eve, { name: 'Hers' })];
    await change(ada, archived, { archived: true });
    const key = await createKey(ada);
    for (const [projectId, refusal] of [
      [archived.id, [404, 'not_found']],
      [foreign.id, [404, 'not_found']],
      [999_999_999, [404, 'not_found']],
    ] as const) {
      expect(await people.refusal('POST', '/api/proxy-keys', ada, { name: 'x', projectId })).toEqual([...refusal]);
      expect(await people.refusal('PUT', `/api/proxy-keys/${key.id}`, ada, { projectId })).toEqual([...refusal]);
    }
    expect(await keysOf(ada)).toMatchObject([{ id: key.id, projectId: null }]);
  });

  test('of an archived project says so, and is active again when the project is restored', async () => {
    const ada = await people.sign();
    const bot = await create(ada, { name: 'Bot' });
    await createKey(ada, { projectId: bot.id });
    await change(ada, bot, { archived: true });
    expect(await keysOf(ada)).toMatchObject([{ active: false, state: 'project_archived' }]);
    await change(ada, bot, { archived: false });
    expect(await keysOf(ada)).toMatchObject([{ active: true, state: 'active' }]);
  });

  test('that is rotated is replaced by one in the same project', async () => {
    const ada = await people.sign();
    const bot = await create(ada, { name: 'Bot' });
    const { id } = await createKey(ada, { projectId: bot.id });
    await people.ok('POST', `/api/proxy-keys/${id}/rotate`, ada);
    expect((await keysOf(ada)).map(({ projectId }) => projectId)).toEqual([bot.id, bot.id]);
  });
});

describe('roles', () => {
  test('a member sees the projects of their own keys, and puts keys into no others', async () => {
    const [ada, bob] = await pair('member');
    const [bot, other] = [await create(ada, { name: 'Bot' }), await create(ada, { name: 'Other' })];
    const { id } = await createKey(bob);
    expect(await list(bob)).toEqual([]);
    expect(await people.refusal('PUT', `/api/proxy-keys/${id}`, bob, { projectId: bot.id })).toEqual([
      404,
      'not_found',
    ]);
    await moveKey(ada, { id }, bot.id);
    expect(await list(bob)).toMatchObject([{ id: bot.id, keys: 1 }]);
    await createKey(bob, { projectId: bot.id });
    expect(await people.refusal('POST', '/api/proxy-keys', bob, { name: 'x', projectId: other.id })).toEqual([
      404,
      'not_found',
    ]);
    expect(await people.refusal('POST', '/api/projects', bob, { name: 'Mine' })).toEqual([403, 'role_required']);
  });

  test('an administrator manages projects, while finance and auditors see them', async () => {
    const [ada, bob] = await pair('admin');
    const bot = await create(bob, { name: 'Bot' });
    await people.ok('PUT', `/api/members/${bob.id}`, ada, { role: 'finance' });
    expect(await list(bob)).toEqual([bot]);
    expect(await people.refusal('PUT', `/api/projects/${bot.id}`, bob, { name: 'x' })).toEqual([403, 'role_required']);
  });
});

test('what is done is in the audit log, and an export has the projects', async () => {
  const ada = await people.sign();
  const bot = await create(ada, { name: 'Bot', costCenter: 'CC-40' });
  await change(ada, bot, { costCenter: null, archived: true });
  const { entries } = await people.ok<{ entries: object[] }>('GET', '/api/organization/audit', ada);
  expect(entries).toMatchObject([
    {
      action: 'project.update',
      subject: `project ${bot.id}`,
      before: { costCenter: 'CC-40', archived: false },
      after: { costCenter: null, archived: true },
    },
    { action: 'project.create', after: { name: 'Bot', costCenter: 'CC-40' } },
  ]);
});

test('charges stay with the project and the member that the key had when they were made', async () => {
  const [ada, bob] = await pair('admin');
  const { accountId } = await accountOf(ada);
  const [bot, other] = [await create(ada, { name: 'Bot' }), await create(ada, { name: 'Other' })];
  const key = await createKey(bob, { projectId: bot.id });
  /** What a proxy writes with a charge: the number of the key's present assignment, if the key was moved. */
  const charge = async (costNano: bigint) => {
    const [row] = await harness.database.sql`SELECT assignment_id FROM api_keys WHERE id = ${key.id}`;
    const assignmentId = row?.assignment_id === null ? null : Number(row?.assignment_id);
    await applyCharges(harness.database.sql, [chargeOf(accountId, { keyId: key.id, assignmentId, costNano })]);
  };
  await charge(1n);
  await moveKey(ada, key, other.id);
  await charge(10n);
  await moveKey(ada, key, null);
  await charge(100n);
  await moveKey(ada, key, bot.id);
  await charge(1_000n);
  await people.ok('DELETE', `/api/members/${bob.id}?keys=transfer`, ada);
  await charge(10_000n);
  const usage = async (groupBy: string) =>
    (await people.ok<{ usage: Record<string, unknown>[] }>('GET', `/api/usage?groupBy=${groupBy}`, ada)).usage;
  expect(await usage('project')).toMatchObject([
    { projectId: bot.id, projectName: 'Bot', requests: 3, cost: '0.000011001' },
    { projectId: other.id, projectName: 'Other', requests: 1, cost: '0.00000001' },
    { projectId: null, projectName: null, requests: 1, cost: '0.0000001' },
  ]);
  expect(await usage('member')).toMatchObject([
    { memberId: ada.id, memberEmail: ada.email, requests: 1, cost: '0.00001' },
    { memberId: bob.id, memberEmail: bob.email, requests: 4, cost: '0.000001111' },
  ]);
  expect(await usage('key')).toMatchObject([
    { keyId: key.id, keyName: 'production', requests: 5, cost: '0.000011111' },
  ]);
  const requests = async (query: string) =>
    (await people.ok<{ requests: { charged: string; project: unknown }[] }>('GET', `/api/requests?${query}`, ada))
      .requests;
  expect(await requests(`projectId=${other.id}`)).toMatchObject([
    { charged: '0.00000001', project: { id: other.id, name: 'Other' } },
  ]);
  expect(await requests(`projectId=${bot.id}&memberId=${ada.id}`)).toMatchObject([{ charged: '0.00001' }]);
  expect(await requests(`memberId=${bob.id}`)).toHaveLength(4);
  const [listed] = await keysOf(ada);
  expect(listed).toMatchObject({ spend30dUsd: '0.000011111', spendTodayUsd: '0.000011111' });
  expect((await list(ada)).map(({ name, spend30dUsd }) => [name, spend30dUsd])).toEqual([
    ['Bot', '0.000011001'],
    ['Other', '0.00000001'],
  ]);
});

test('archiving a project waits for a change of keys before it locks the project: no deadlock', async () => {
  const ada = await people.sign();
  const bot = await create(ada, { name: 'bot' });
  const { id: accountId } = await people.organizationOf(ada);
  let archiving: Promise<Project> | undefined;
  await harness.database.db.transaction(async (transaction) => {
    await lockKeysOf(transaction, accountId);
    archiving = change(ada, bot, { archived: true });
    await untilWaitingForLock(harness.database.sql);
    // As when a key is put into it.
    await transaction.select().from(projects).where(eq(projects.id, bot.id)).for('share');
  });
  expect(await archiving).toMatchObject({ archived: true });
});
