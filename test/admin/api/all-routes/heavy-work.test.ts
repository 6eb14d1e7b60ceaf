/** Expensive work is limited across all its kinds, and one account's flood does not affect other accounts. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { companyDetails } from '../../../../admin/database/tables/company-details.ts';
import { youngestArchivedDays } from '../../../../admin/database/tables/usage-totals.ts';
import {
  changeLimits,
  type HeavyKind,
  type HeavyLimits,
  type HeavyWork,
  heavyLimits,
} from '../../../../admin/heavy-work/heavy-work.ts';
import { type Customer, testPassword } from '../../../harness/customers.ts';
import { untilWaitingForLock } from '../../../harness/wait-for-lock.ts';
import { type Harness, startHarness } from '../../../harness.ts';
import { company, sellerFile } from '../../documents/books.ts';
import { newDocument } from '../../documents/new-document.ts';
import { type Api, logIn, startApi } from '../start-api.ts';

let harness: Harness;
let api: Api;
beforeAll(async () => {
  harness = await startHarness();
  api = await startApi(harness, { environment: { SELLER_FILE: sellerFile, CBR_URL: 'off' } });
});
afterAll(async () => {
  await api.stop();
  await harness.stop();
});

type Caller = Customer & { readonly token: string };

async function newCustomer(): Promise<Caller> {
  const customer = await harness.createCustomer({ usd: '1' });
  await harness.database.db.insert(companyDetails).values({ accountId: customer.accountId, ...company });
  return { ...customer, token: await logIn(api, customer.email, testPassword) };
}

/**
 * Takes as many turns as the account may have, and fills the queue behind them. Returns a function that ends all of it.
 */
async function flood<Kind extends string>(
  { accountId }: Caller,
  kind: Kind,
  { work, limits }: { readonly work: HeavyWork<Kind>; readonly limits: HeavyLimits<Kind> },
): Promise<() => Promise<void>> {
  const client = new AbortController();
  const task = { kind, accountId, signal: client.signal };
  const turns = Array.from({ length: limits.kinds[kind].accountAtOnce }, () => work.begin(task));
  const ends = await Promise.all(turns);
  // A request that has waited too long queues again, so the queue is full however slow the test is.
  const wait = async () => {
    while (!client.signal.aborted) await work.begin(task).then(undefined, () => {});
  };
  const waiting = Array.from({ length: limits.accountWaiting }, wait);
  return async () => {
    client.abort();
    await Promise.all(waiting);
    for (const end of ends) end();
  };
}

const floodWithWork = (caller: Caller, kind: HeavyKind) =>
  flood(caller, kind, { work: api.services.heavyWork, limits: heavyLimits });
const floodWithChanges = (caller: Caller) =>
  flood(caller, 'change', { work: api.services.heavyChanges, limits: changeLimits });

const paths: [HeavyKind, string, string][] = [
  ['query', 'GET', '/api/usage'],
  ['query', 'GET', '/api/usage/export'],
  ['query', 'GET', '/api/transactions'],
  ['query', 'GET', '/api/errors'],
  ['query', 'POST', '/api/documents'],
  ['export', 'GET', '/api/transactions/export'],
  ['export', 'GET', '/api/account/export'],
  ['document', 'GET', '/api/documents/{document}/pdf'],
];

/** The file of a document. */
const input = { type: 'reconciliation', from: '2026-01-01', to: '2026-01-31' };

describe.each(paths)('while an account floods admin with its %s work, %s %s', (kind, method, path) => {
  test('is refused to it with 429 and a Retry-After, and served to others', async () => {
    const [flooding, other] = await Promise.all([newCustomer(), newCustomer()]);
    const end = await floodWithWork(flooding, kind);
    const ask = async (caller: Caller) => {
      const resolved = path.includes('{document}')
        ? path.replace('{document}', await newDocument(harness.database.db, caller.accountId))
        : path;
      return api.call(method, resolved, { token: caller.token, ...(method === 'POST' && { body: input }) });
    };
    const refused = await ask(flooding);
    expect([refused.status, refused.error?.code]).toEqual([429, 'rate_limit_exceeded']);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    const done = method === 'POST' ? 201 : 200;
    expect((await ask(other)).status).toBe(done);
    await end();
    expect((await ask(flooding)).status).toBe(done);
  });
});

test('requests without a value of a dimension wait for a turn, and others do not', async () => {
  const [flooding, other] = await Promise.all([newCustomer(), newCustomer()]);
  for (const { token } of [flooding, other])
    await api.call('PUT', '/api/organization/dimensions', { token, body: { user: true } });
  const statusOf = async ({ token }: Caller, query: string) =>
    (await api.call('GET', `/api/requests${query}`, { token })).status;
  const end = await floodWithWork(flooding, 'query');
  expect(await statusOf(flooding, '?dimension=user')).toBe(429);
  expect(await statusOf(other, '?dimension=user')).toBe(200);
  for (const query of ['', '?dimension=user&value=anna']) expect(await statusOf(flooding, query)).toBe(200);
  await end();
  expect(await statusOf(flooding, '?dimension=user')).toBe(200);
});

test('a receipt waits for a turn only if its charge is old enough for the archive', async () => {
  const [flooding, other] = await Promise.all([newCustomer(), newCustomer()]);
  const end = await floodWithWork(flooding, 'query');
  const receipt = async ({ token }: Caller, ageDays: number) => {
    const id = Bun.randomUUIDv7('hex', Date.now() - ageDays * 86_400_000);
    return (await api.call('GET', `/api/requests/${id}`, { token })).status;
  };
  expect(await receipt(flooding, youngestArchivedDays + 1)).toBe(429);
  expect(await receipt(flooding, youngestArchivedDays - 1)).toBe(404);
  expect(await receipt(other, youngestArchivedDays + 1)).toBe(404);
  await end();
  expect(await receipt(flooding, youngestArchivedDays + 1)).toBe(404);
});

test('a document that was downloaded before is served despite the work of other accounts', async () => {
  const [customer, other] = [await newCustomer(), await newCustomer()];
  const path = `/api/documents/${await newDocument(harness.database.db, customer.accountId)}/pdf`;
  const fetchBytes = async () => {
    const response = await fetch(`${api.url}${path}`, { headers: { authorization: `Bearer ${customer.token}` } });
    return { status: response.status, bytes: Buffer.from(await response.bytes()).toString('hex') };
  };
  const first = await fetchBytes();
  const end = await floodWithWork(other, 'document');
  expect(await fetchBytes()).toEqual({ ...first, status: 200 });
  await end();
});

const changes: [method: string, path: string, body: Record<string, unknown> | undefined, done: number][] = [
  ['PUT', '/api/organization', { timeZone: 'Europe/Moscow' }, 200],
  ['PUT', '/api/organization/dimensions', { user: true }, 200],
  ['PUT', '/api/organization/data-policy', { zdr: true }, 200],
  ['PUT', '/api/organization/ip-allow-list', { entries: [] }, 200],
  ['POST', '/api/budgets', { scope: 'organization', period: 'month', amount: 5 }, 201],
  ['PUT', '/api/budgets/organization-day', { amount: 5 }, 404],
  ['DELETE', '/api/budgets/organization-day', undefined, 404],
  ['PUT', '/api/projects/1', { archived: true }, 404],
  ['PUT', '/api/members/1', { role: 'admin' }, 404],
  ['DELETE', '/api/members/1', undefined, 404],
  ['DELETE', '/api/account', { current_password: testPassword, forfeitBalanceUsd: '1' }, 200],
];

test.each(changes)(
  'while an account floods admin with changes of its keys, %s %s waits for its turn',
  async (...asked) => {
    const [method, path, body, done] = asked;
    const [flooding, other] = await Promise.all([newCustomer(), newCustomer()]);
    const end = await floodWithChanges(flooding);
    const ask = async ({ token }: Caller) => api.call(method, path, { token, ...(body !== undefined && { body }) });
    const refused = await ask(flooding);
    expect([refused.status, refused.error?.code]).toEqual([429, 'rate_limit_exceeded']);
    expect((await ask(other)).status).toBe(done);
    await end();
    expect((await ask(flooding)).status).toBe(done);
  },
);

test('changes of an organization that waits for its lock hold one connection, however many there are', async () => {
  const [customer, other] = await Promise.all([newCustomer(), newCustomer()]);
  const lock = Promise.withResolvers<void>();
  const { sql } = harness.database;
  const holding = sql.begin(async (transaction) => {
    await transaction`SELECT FROM accounts WHERE id = ${customer.accountId} FOR UPDATE`;
    await lock.promise;
  });
  const change = () => api.call('PUT', '/api/organization/dimensions', { token: customer.token, body: { user: true } });
  const { accountAtOnce, accountWaiting } = changeLimits;
  const asked = Array.from({ length: accountAtOnce + accountWaiting + 1 }, change);
  // All others run or wait.
  expect((await Promise.race(asked)).status).toBe(429);
  await untilWaitingForLock(sql, accountAtOnce);
  expect((await api.call('GET', '/api/balance', { token: other.token })).status).toBe(200);
  const waiting = await sql`
    SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  expect(waiting).toHaveLength(accountAtOnce);
  lock.resolve();
  await holding;
  const statuses = (await Promise.all(asked)).map(({ status }) => status);
  expect(statuses.filter((status) => status !== 200 && status !== 429)).toEqual([]);
});
