/** What causes the events of webhooks: each is written in the transaction of what it reports, and not without it. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { RetiringModel } from '../../../admin/catalogue/retirements.ts';
import { issueDocument } from '../../../admin/documents/issue/issue-document.ts';
import { changeKey, deleteKey } from '../../../admin/keys/change-key.ts';
import { createKey } from '../../../admin/keys/create-key.ts';
import { rotateKey } from '../../../admin/keys/rotate-key.ts';
import { createPlaygroundKey } from '../../../admin/keys/session-keys.ts';
import { applyCharges } from '../../../admin/ledger/charges/apply-charges.ts';
import { postCredit } from '../../../admin/ledger/post-credit.ts';
import { changeSettings } from '../../../admin/notifications/change-settings.ts';
import { reportRetirements } from '../../../admin/webhooks/report-retirements.ts';
import { parseUsd, rubKopecks, rubRate } from '../../../shared/money.ts';
import { type Harness, startHarness } from '../../harness.ts';
import { chargeOf } from '../ledger/ledger.ts';
import { deliveriesOf, openEndpoint, type TestEndpoint } from './endpoint.ts';

let harness: Harness;
beforeAll(async () => {
  harness = await startHarness();
});
afterAll(() => harness.stop());

const actor = { name: 'test', userId: null, address: null, requestId: null };
const at = new Date('2030-01-01T12:00:00Z');
const terms = { rate: { rubPerUsd: rubRate(1_000_000n), date: null, source: 'configured' as const }, at };

/** The balance is `usd`; the threshold of alerts is 500 roubles, which is 5 USD at the rate of 100. */
async function open(usd: string): Promise<TestEndpoint> {
  const endpoint = await openEndpoint(harness, 'https://example.com/');
  if (usd !== '0') await topUp(endpoint, usd);
  return endpoint;
}

function topUp({ accountId }: TestEndpoint, usd: string) {
  const idempotencyKey = crypto.randomUUID();
  const input = { accountId, amountNano: parseUsd(usd), reason: 'test', idempotencyKey, type: 'payment' } as const;
  return postCredit(harness.database.db, input);
}

const spend = ({ accountId }: TestEndpoint, usd: string, change: Partial<Parameters<typeof chargeOf>[1]> = {}) =>
  applyCharges(harness.database.sql, [chargeOf(accountId, { costNano: parseUsd(usd), ...change })], terms);

async function eventsOf(endpoint: TestEndpoint) {
  return (await deliveriesOf(harness, endpoint)).map(({ type, data }) => [type, data] as const);
}
const typesOf = async (endpoint: TestEndpoint) => (await eventsOf(endpoint)).map(([type]) => type);

describe('a balance', () => {
  test('that falls below the threshold is reported at each fall, and when it is used up', async () => {
    const endpoint = await open('6');
    await spend(endpoint, '0.5');
    expect(await eventsOf(endpoint)).toEqual([]);
    await spend(endpoint, '1.25');
    await spend(endpoint, '1');
    expect(await eventsOf(endpoint)).toEqual([['balance.low', { balanceUsd: '4.25', thresholdRub: '500' }]]);
    await spend(endpoint, '3.25');
    await topUp(endpoint, '10');
    await spend(endpoint, '1');
    await spend(endpoint, '5.000000001');
    expect(await eventsOf(endpoint)).toEqual([
      ['balance.low', { balanceUsd: '4.25', thresholdRub: '500' }],
      ['balance.used_up', { balanceUsd: '0', thresholdRub: '500' }],
      ['balance.low', { balanceUsd: '3.999999999', thresholdRub: '500' }],
    ]);
  });

  test('is reported without mails, and with one id for all endpoints', async () => {
    const endpoint = await open('6');
    await harness.database.sql`
      INSERT INTO notification_settings (account_id, email_enabled) VALUES (${endpoint.accountId}, false)`;
    const [second] = await harness.database.sql<{ id: string }[]>`
      INSERT INTO webhook_endpoints SELECT gen_random_uuid(), account_id, url, events, active, sealed_secret
      FROM webhook_endpoints WHERE id = ${endpoint.id} RETURNING id`;
    await spend(endpoint, '6');
    const ids = await harness.database.sql<{ type: string; ids: number; endpoints: number }[]>`
      SELECT type, count(DISTINCT event_id)::int AS ids, count(*)::int AS endpoints FROM webhook_deliveries
      WHERE endpoint_id IN (${endpoint.id}, ${second?.id ?? ''}) GROUP BY type ORDER BY type`;
    expect([...ids]).toEqual([
      { type: 'balance.low', ids: 1, endpoints: 2 },
      { type: 'balance.used_up', ids: 1, endpoints: 2 },
    ]);
    expect(await harness.database.sql`SELECT FROM mails WHERE account_id = ${endpoint.accountId}`).toHaveLength(0);
  });

  test('falls also where the threshold is raised above it', async () => {
    const endpoint = await open('6');
    const change = { thresholdKopecks: rubKopecks(100_000n) };
    await changeSettings(harness.database.sql, { actor, accountId: endpoint.accountId, change }, terms);
    expect(await eventsOf(endpoint)).toEqual([['balance.low', { balanceUsd: '6', thresholdRub: '1000' }]]);
  });
});

test('a budget is reported at its thresholds, once in a period, and when it is used up', async () => {
  const endpoint = await open('100');
  const { accountId } = endpoint;
  await harness.database.sql`
    INSERT INTO budgets (account_id, level, scope_id, period, amount_nano, alerts_at)
    VALUES (${accountId}, 'organization', ${accountId}, 'day', 2000000000, '{50,80,100}')`;
  for (const usd of ['0.9', '0.2', '0.1', '0.9', '1']) await spend(endpoint, usd, { chargedAt: at });
  const budget = {
    level: 'organization',
    scopeId: null,
    period: 'day',
    amountUsd: '2',
    resetsAt: '2030-01-02T00:00:00.000Z',
  };
  expect(await eventsOf(endpoint)).toEqual([
    ['budget.threshold', { ...budget, percent: 50, spentUsd: '1.1' }],
    ['budget.used_up', { ...budget, percent: 100, spentUsd: '2.1' }],
  ]);
});

describe('a key', () => {
  test('is reported when it is made, replaced and deleted, and not when it is changed', async () => {
    const endpoint = await open('0');
    const { accountId } = endpoint;
    const { db } = harness.database;
    const pepper = harness.keyPepper;
    const made = await createKey(db, pepper, { accountId, kind: 'proxy', name: 'production', expiresAt: null });
    const owner = { accountId, id: made.id, kind: 'proxy' } as const;
    await changeKey(db, owner, { active: false });
    const rotated = await db.transaction((transaction) =>
      rotateKey(transaction, { pepper, owner }, { graceHours: 1, expiresAt: undefined }),
    );
    await deleteKey(db, owner);
    await deleteKey(db, owner);
    const key = { keyId: made.id, kind: 'proxy', name: 'production', prefix: made.prefix };
    expect(await eventsOf(endpoint)).toEqual([
      ['key.created', key],
      ['key.created', { ...key, keyId: rotated?.created.id, prefix: rotated?.created.prefix }],
      ['key.deleted', key],
    ]);
  });

  test('of a playground is not reported', async () => {
    const endpoint = await open('0');
    const { accountId } = endpoint;
    const person = { accountId, userId: null as never, sessionId: crypto.randomUUID() };
    const make = () =>
      harness.database.db.transaction((transaction) => createPlaygroundKey(transaction, harness.keyPepper, person));
    await make();
    await make();
    expect(await eventsOf(endpoint)).toEqual([]);
  });

  test('whose transaction is rolled back is not reported', async () => {
    const endpoint = await open('0');
    const { accountId } = endpoint;
    const undone = harness.database.db.transaction(async (transaction) => {
      await createKey(transaction, harness.keyPepper, { accountId, kind: 'billing', name: 'x', expiresAt: null });
      throw new Error('undone');
    });
    await expect(undone).rejects.toThrow('undone');
    expect(await eventsOf(endpoint)).toEqual([]);
  });
});

test('a document is reported with its number, in the transaction that issues it', async () => {
  const endpoint = await open('0');
  const issue = (month: string) => ({
    accountId: endpoint.accountId,
    type: 'act' as const,
    period: { from: `2029-${month}-01`, to: `2029-${month}-30` },
    date: '2030-01-05',
    amountKopecks: rubKopecks(123_450n),
    write: (numbered: object) => numbered as never,
  });
  const { db } = harness.database;
  const issued = await db.transaction((transaction) => issueDocument(transaction, issue('11')));
  const undone = db.transaction(async (transaction) => {
    await issueDocument(transaction, issue('12'));
    throw new Error('undone');
  });
  await expect(undone).rejects.toThrow('undone');
  expect(await eventsOf(endpoint)).toEqual([
    [
      'document.issued',
      { documentId: issued.id, type: 'act', number: issued.number, date: '2030-01-05', amountRub: '1234.5' },
    ],
  ]);
});

describe('a model that retires', () => {
  const newModel = () => ({ id: `test/${crypto.randomUUID()}`, retiresAt: '2030-06-30' });
  const onDay = (day: string) => new Date(`${day}T08:00:00Z`);
  const report = (day: string, model: RetiringModel) => reportRetirements(harness.database.sql, [model], onDay(day));

  async function use({ accountId }: TestEndpoint, model: RetiringModel, day: string): Promise<void> {
    const { sql } = harness.database;
    await sql`DELETE FROM usage_totals WHERE account_id = ${accountId}`;
    await applyCharges(sql, [chargeOf(accountId, { costNano: 1n, chargedAt: onDay(day) })]);
    await sql`
      UPDATE usage_totals SET model = ${model.id}, bucket_15m = ${onDay(day)} WHERE account_id = ${accountId}`;
  }

  test('is reported 30 and 7 days ahead, once each, to those who have used it in the last 30 days', async () => {
    const model = newModel();
    const [user, former, stranger] = [await open('1'), await open('1'), await open('1')];
    await use(user, model, '2030-05-20');
    await use(former, model, '2030-04-20');
    expect(await report('2030-05-30', model)).toBe(0);
    expect(await report('2030-05-31', model)).toBe(1);
    expect(await report('2030-06-01', model)).toBe(0);
    await use(user, model, '2030-06-10');
    const counts = await Promise.all([
      report('2030-06-23', model),
      report('2030-06-23', model),
      report('2030-06-23', model),
    ]);
    expect(counts.toSorted()).toEqual([0, 0, 1]);
    expect(await report('2030-07-01', model)).toBe(0);
    const told = { model: model.id, retiresAt: model.retiresAt };
    expect((await eventsOf(user)).filter(([type]) => type === 'model.retiring')).toEqual([
      ['model.retiring', { ...told, daysLeft: 30 }],
      ['model.retiring', { ...told, daysLeft: 7 }],
    ]);
    for (const other of [former, stranger]) expect(await typesOf(other)).not.toContain('model.retiring');
  });

  test('is reported late to those who subscribe late, and again on another day', async () => {
    const model = newModel();
    const user = await open('1');
    await use(user, model, '2030-06-10');
    expect(await report('2030-06-26', model)).toBe(1);
    expect(await report('2030-06-27', { ...model, retiresAt: '2030-07-10' })).toBe(1);
    const days = (await eventsOf(user))
      .filter(([type]) => type === 'model.retiring')
      .map(([, { daysLeft }]) => daysLeft);
    expect(days).toEqual([4, 13]);
  });
});
