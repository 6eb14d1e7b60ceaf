/** `gateway reconcile`: its output, and what --repair does to a wallet and records. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { repairWallet } from '../../../../admin/wallets/reconcile/repair/repair-wallet.ts';
import { type Gateway, gatewayOf } from '../../cli/run-gateway.ts';
import { type Account, type ReconcileBench, startReconcileBench } from './reconcile-bench.ts';

const actor = { name: 'cli:test', userId: null, address: 'here', requestId: null };

let bench: ReconcileBench;
let gateway: Gateway;
let account: Account;

beforeAll(async () => {
  bench = await startReconcileBench();
  gateway = gatewayOf(bench.harness);
});
afterAll(() => bench.stop());

beforeEach(async () => {
  await bench.clear();
  account = await bench.open('10');
  await bench.hold(account, 700n);
  await bench.spend(account, 100n);
});

const repairs = () => bench.harness.database.sql`SELECT * FROM repairs ORDER BY id`;
interface Repaired {
  readonly repairs: readonly { readonly before: object }[];
  readonly violations: readonly { readonly kind: string }[];
}

const repair = (...args: readonly string[]) =>
  gateway<Repaired>(['reconcile', '--repair', '--reason', 'incident 7', ...args, '--json']);
const none = { d1: '0', d2: '0', d3: '0', d4: '0' };

test('reconcile ends with exit code 0 and one object if all is well', async () => {
  const { exitCode, json } = await gateway(['reconcile', '--json']);
  expect({ exitCode, json }).toEqual({
    exitCode: 0,
    json: { ok: true, accounts: 1, drift: none, violations: [], driftingAccounts: [], undecidedAccounts: 0 },
  });
  expect((await gateway(['reconcile'])).out).toContain('✓ Every wallet agrees with the ledger');
});

test('reconcile ends with exit code 1, amounts in USD, a table for people, and the criterion', async () => {
  await bench.harness.redis.hincrby(account.walletKey, 'available', 1_500_000_001);
  const { exitCode, json } = await gateway(['reconcile', '--email', account.email, '--json']);
  expect(exitCode).toBe(1);
  expect(json).toMatchObject({ ok: false, accounts: 1, drift: { ...none, d2: '1.500000001' } });
  const { out } = await gateway(['reconcile', '--account', String(account.accountId)]);
  expect(out).toMatch(/ACCOUNT +E-MAIL +D1 USD +D2 USD +D3 USD +D4 USD/);
  expect(out).toMatch(new RegExp(`^ *${account.accountId} +${account.email} +0 +1\\.500000001 +0 +0$`, 'm'));
  expect(out).toContain('✗ 1 wallet with drift and 0 violations');
  expect(out).toContain('only if two readings 400 ms apart agree');
});

test.each([
  ['--repair without a reason', ['--repair']],
  ['an empty reason', ['--repair', '--reason', '  ']],
  ['a reason without --repair', ['--reason', 'x']],
  ['both an account and an e-mail address', ['--account', '1', '--email', 'a@example.com']],
  ['an account that is not a number', ['--account', 'x']],
])('reconcile ends with exit code 2: %s', async (_, args) => {
  await bench.harness.redis.hincrby(account.walletKey, 'available', 5);
  expect((await gateway(['reconcile', ...args])).exitCode).toBe(2);
  expect(await repairs()).toHaveLength(0);
});

test.each([[['--account', '4711']], [['--email', 'nobody@example.com']]])(
  'reconcile ends with exit code 1 for an unknown account: %j',
  async (args) => {
    const { exitCode, error } = await gateway(['reconcile', ...args, '--json']);
    expect({ exitCode, code: error?.code }).toEqual({ exitCode: 1, code: 'not_found' });
  },
);

test('reconcile ends with exit code 1 without Redis', async () => {
  const environment = { REDIS_URL: 'redis://127.0.0.1:1' };
  expect((await gateway(['reconcile', '--json'], { environment })).error?.message).toContain('ECONNREFUSED');
});

describe('reconcile --repair', () => {
  test('does nothing on a clean account', async () => {
    const before = await bench.harness.redis.hgetall(account.walletKey);
    const { exitCode, json } = await repair();
    expect({ exitCode, repairs: json.repairs }).toEqual({ exitCode: 0, repairs: [] });
    expect(await bench.harness.redis.hgetall(account.walletKey)).toEqual(before);
    expect(await repairs()).toHaveLength(0);
  });

  test.each([
    ['D1', () => bench.harness.redis.hincrby(account.walletKey, 'spent', 3), { available: '9.9999992' }],
    ['D2', () => bench.harness.redis.hincrby(account.walletKey, 'available', -30), { available: '9.99999917' }],
    ['D3', () => bench.harness.redis.hincrby(account.walletKey, 'held', 40), { held: '0.00000074' }],
    ['D4', () => bench.harness.redis.hincrby(account.walletKey, 'credited', 50), { credited: '10.00000005' }],
  ])('repairs %s, and records what it did, why and for whom', async (_, tamper, before) => {
    await tamper();
    const { exitCode, json } = await repair('--email', account.email);
    const after = { available: '9.9999992', held: '0.0000007', spent: '0.0000001', credited: '10' };
    expect(json).toMatchObject({ ok: true, drift: none, repairs: [{ accountId: account.accountId, before, after }] });
    expect(exitCode).toBe(0);
    expect(await repairs()).toMatchObject([
      {
        account_id: String(account.accountId),
        after: { availableNano: '9999999200', heldNano: '700', spentNano: '100', creditedNano: '10000000000' },
        reason: 'incident 7',
        repaired_by: expect.stringContaining('@'),
      },
    ]);
    const [entry] = await bench.harness.database.sql`
      SELECT actor, subject, account_id, reason, before, after FROM audit_entries ORDER BY id DESC LIMIT 1`;
    expect(entry).toEqual({
      actor: `cli:${Bun.spawnSync(['id', '-un']).stdout.toString().trim()}`,
      subject: `wallet of account ${account.accountId}`,
      account_id: String(account.accountId),
      reason: 'incident 7',
      before: json.repairs[0]?.before,
      after,
    });
    expect((await repair()).json.repairs).toEqual([]);
  });

  test('returns what a lost charge took, and explains the gap that it left', async () => {
    await bench.charge(account, 40n);
    await bench.loseLastCharge(account);
    await bench.spend(account, 5n);
    const { json } = await repair();
    expect(json).toMatchObject({ ok: true, violations: [], repairs: [{ after: { spent: '0.000000105' } }] });
    await bench.charge(account, 1n);
    expect(await bench.reconcile()).toMatchObject({ ok: true });
    await bench.book();
    expect(await bench.reconcile()).toMatchObject({ ok: true });
  });

  test('counts charges that are still on their way once', async () => {
    await bench.charge(account, 11n);
    await bench.harness.redis.hincrby(account.walletKey, 'available', 5);
    await bench.charge(account, 22n);
    expect((await repair()).json.repairs).toMatchObject([{ after: { spent: '0.000000133' } }]);
    expect(await bench.reconcile()).toMatchObject({ ok: true });
    await bench.book();
    expect(await bench.reconcile()).toMatchObject({ ok: true });
  });

  test('restores a credit that Redis has lost', async () => {
    await bench.harness.redis.hset(account.walletKey, { available: '0', held: '0', credited: '100', creditSeq: '0' });
    const { json } = await repair();
    expect(json).toMatchObject({
      ok: true,
      repairs: [{ before: { credited: '0.0000001' }, after: { credited: '10' } }],
    });
  });

  test('repairs once if two repairs run concurrently', async () => {
    await bench.harness.redis.hincrby(account.walletKey, 'available', 5);
    const services = { sql: bench.harness.database.sql, auditor: bench.auditor };
    const input = { accountId: account.accountId, reason: 'both', actor };
    const done = await Promise.all([repairWallet(services, input), repairWallet(services, input)]);
    expect(done.filter((repaired) => repaired !== undefined)).toHaveLength(1);
    expect(await repairs()).toHaveLength(1);
  });

  test('never changes the ledger', async () => {
    await bench.tamper(`UPDATE accounts SET balance_nano = balance_nano + 5, spent_nano = spent_nano - 5`);
    const { exitCode, json } = await repair();
    expect(exitCode).toBe(1);
    expect(json.violations.map(({ kind }) => kind)).toEqual(['balance_wrong', 'spent_wrong']);
    const [row] = await bench.harness.database.sql`SELECT spent_nano FROM accounts WHERE id = ${account.accountId}`;
    expect(row?.spent_nano).toBe('95');
  });
});

test('records of repairs cannot be changed or deleted', async () => {
  const { sql } = bench.harness.database;
  await bench.harness.redis.hincrby(account.walletKey, 'available', 5);
  await repair();
  expect(sql`UPDATE repairs SET reason = 'nothing'`.execute()).rejects.toThrow('repairs');
  expect(sql`DELETE FROM repairs`.execute()).rejects.toThrow('repairs');
});
