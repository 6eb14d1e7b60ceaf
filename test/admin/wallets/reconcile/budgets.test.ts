/** What Redis counts for budgets is compared with the ledger, and a repair corrects it. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import { repairDrift } from '../../../../admin/wallets/reconcile/repair/repair-drift.ts';
import { readSpendRecord, spoilSpendRecord } from '../../../harness/wallet/spend-records.ts';
import { type Account, type ReconcileBench, startReconcileBench } from './reconcile-bench.ts';

let bench: ReconcileBench;
let account: Account;
const readCounted = () => readSpendRecord(bench.harness.redis, account.accountId, `o${account.accountId}`);
const spoil = (values: Readonly<Record<string, number>>) =>
  spoilSpendRecord(bench.harness.redis, account.accountId, `o${account.accountId}`, values);

beforeAll(async () => {
  bench = await startReconcileBench();
});
afterAll(() => bench.stop());

beforeEach(async () => {
  await bench.clear();
  account = await bench.open('10');
  await bench.spend(account, 100n);
  const { accountId } = account;
  await bench.harness.database.sql`
    INSERT INTO budgets (account_id, level, scope_id, period, amount_nano, alerts_at)
    VALUES (${accountId}, 'organization', ${accountId}, 'month', 1000, '{}')`;
  const spentNano = { day: 100n, week: 100n, month: 100n, total: 100n };
  await bench.harness.keeper.hydrateSpend({ accountId, scope: `o${accountId}`, at: new Date(), spentNano });
});

const found = async () => (await bench.reconcile()).violations.map(({ kind, subject }) => [kind, subject]);

test('a counter that agrees is no violation, also after further charges', async () => {
  expect(await found()).toEqual([]);
  await bench.spend(account, 50n);
  expect((await readCounted()).monthSpent).toBe('150');
  expect(await found()).toEqual([]);
});

test('a counter that differs is a violation, unless a charge is on its way', async () => {
  await spoil({ total: 101 });
  await bench.charge(account, 10n);
  expect(await found()).toEqual([]);
  await bench.book();
  expect(await found()).toEqual([['budget_wrong', `budget o${account.accountId}`]]);
  const [violation] = (await bench.reconcile()).violations;
  expect(violation?.message).toContain('Redis counts $0.000000111 in total, the ledger has $0.00000011');
});

test('a repair corrects what is counted, and keeps what is held', async () => {
  const { database, keeper } = bench.harness;
  await spoil({ monthSpent: 7, held: 5 });
  const actor = { name: 'cli:test', userId: null, address: null, requestId: null };
  const options = { ...bench.services, db: database.db, keeper, pauseMs: 10 };
  const { reconciliation } = await repairDrift(options as never, { reason: 'test', actor });
  expect(reconciliation.violations).toEqual([]);
  expect(await readCounted()).toMatchObject({ zone: 'unknown', held: '5' });
});
