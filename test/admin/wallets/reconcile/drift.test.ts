/** Every way in which a wallet can differ from the ledger is found, named, and measured to the nano-dollar. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { postCredit } from '../../../../admin/ledger/post-credit.ts';
import type { Drift } from '../../../../admin/wallets/reconcile/reconciliation.ts';
import { parseUsd } from '../../../../shared/money.ts';
import { type Account, noDrift, type ReconcileBench, startReconcileBench } from './reconcile-bench.ts';

let bench: ReconcileBench;
let account: Account;
let other: Account;

beforeAll(async () => {
  bench = await startReconcileBench();
});
afterAll(() => bench.stop());

/** Two accounts with charges, one with a running request; nothing left by other tests. */
beforeEach(async () => {
  await bench.clear();
  account = await bench.open('10');
  other = await bench.open('20');
  await bench.hold(account, 700n);
  for (const nano of [100n, 200n, 300n]) await bench.spend(account, nano);
  await bench.spend(other, 55n);
});

async function expectDrift(drift: Partial<Drift>): Promise<void> {
  const { accountId, email } = account;
  const found = await bench.reconcile();
  expect(found.drifting).toEqual([{ accountId, email, drift: { ...noDrift, ...drift } }]);
  const absolute = Object.entries(drift).map(([kind, nano]) => [kind, nano < 0n ? -nano : nano]);
  expect(found.drift).toEqual({ ...noDrift, ...Object.fromEntries(absolute) });
  expect(found.ok).toBe(false);
}

test('wallets and ledger that agree are ok, even with a running request or a missing wallet', async () => {
  await bench.open('0');
  await bench.harness.redis.del(other.walletKey);
  const found = await bench.reconcile();
  expect(found).toMatchObject({ ok: true, drifting: [], violations: [], drift: noDrift, undecided: 0 });
  expect(found.accounts).toBe(3);
});

describe('D1 drift is', () => {
  test('a charge lost between others on its way to the ledger', async () => {
    await bench.charge(account, 40n);
    await bench.loseLastCharge(account);
    await bench.spend(account, 5n);
    await expectDrift({ d1: -40n });
    const { violations } = await bench.reconcile();
    expect(violations).toMatchObject([{ kind: 'charge_missing', accountId: account.accountId }]);
    expect(violations[0]?.message).toContain('charge 4 of its wallet');
  });

  test('the last charge lost on its way', async () => {
    await bench.charge(account, 40n);
    await bench.loseLastCharge(account);
    await expectDrift({ d1: -40n });
    expect((await bench.reconcile()).violations).toMatchObject([{ kind: 'charge_missing' }]);
  });

  test('a lost charge while later ones are still on their way', async () => {
    await bench.charge(account, 40n);
    await bench.loseLastCharge(account);
    await bench.spend(account, 5n);
    await bench.charge(account, 6n);
    await expectDrift({ d1: -40n });
  });

  test('a wallet that got money back for a charge that the ledger has booked', async () => {
    await bench.harness.redis.hincrby(account.walletKey, 'spent', -300);
    await bench.harness.redis.hincrby(account.walletKey, 'available', 300);
    await expectDrift({ d1: 300n });
  });
});

test('D2 drift is money that came from nowhere', async () => {
  await bench.harness.redis.hincrby(account.walletKey, 'available', 123);
  await expectDrift({ d2: 123n });
});

describe('D3 drift is', () => {
  test('a hold that the wallet does not know of', async () => {
    await bench.hold(account, 17n);
    await bench.harness.redis.hincrby(account.walletKey, 'held', -17);
    await bench.harness.redis.hincrby(account.walletKey, 'available', 17);
    await expectDrift({ d3: -17n });
  });

  test('a hold that was lost and would never be released', async () => {
    const requestId = await bench.hold(account, 50n);
    await bench.harness.redis.del(account.holdKey(requestId));
    await expectDrift({ d3: 50n });
  });
});

test('D4 drift is a credit that is not in the ledger', async () => {
  await bench.harness.redis.hincrby(account.walletKey, 'credited', 9);
  await bench.harness.redis.hincrby(account.walletKey, 'available', 9);
  await expectDrift({ d4: 9n });
});

test('amounts beyond the precision of a double are compared exactly', async () => {
  const huge = '9007199254740993';
  await bench.harness.redis.hincrby(account.walletKey, 'spent', huge);
  await bench.harness.redis.hincrby(account.walletKey, 'credited', huge);
  await bench.harness.redis.hincrby(account.walletKey, 'available', 1);
  await expectDrift({ d1: -9007199254740993n, d2: 1n, d4: 9007199254740993n });
});

describe('money on its way is no drift in', () => {
  test('charges that are not booked yet', async () => {
    for (const nano of [1n, 2n, 3n]) await bench.charge(account, nano);
    expect(await bench.reconcile()).toMatchObject({ ok: true, drifting: [] });
  });

  test('a payment that is not delivered to Redis yet, unless its delivery is already marked as done', async () => {
    const { db, sql } = bench.harness.database;
    const input = { accountId: account.accountId, type: 'payment', amountNano: parseUsd('1'), reason: 'test' } as const;
    await postCredit(db, { ...input, idempotencyKey: 'late' });
    expect(await bench.reconcile()).toMatchObject({ ok: true, drifting: [] });
    await sql`UPDATE outbox SET delivered_at = now() WHERE delivered_at IS NULL`;
    const { ok, drifting, violations } = await bench.reconcile();
    expect({ ok, drifting }).toEqual({ ok: false, drifting: [] });
    expect(violations).toMatchObject([{ kind: 'credit_missing', amountNano: -1_000_000_000n }]);
  });

  test('charges made without a wallet, even if they correct an estimate', async () => {
    await bench.harness.redis.del(account.walletKey, account.holdsKey);
    const requestId = await bench.charge(account, 11n);
    await bench.charge(account, 22n);
    expect(await bench.reconcile()).toMatchObject({ ok: true });
    await bench.harness.credit(account.accountId, '1');
    expect(await bench.reconcile()).toMatchObject({ ok: true });
    await bench.charge(account, 33n);
    expect(await bench.reconcile()).toMatchObject({ ok: true });
    await bench.book();
    await bench.charge(account, 11n, { requestId });
    await bench.spend(account, 44n);
    expect(await bench.reconcile()).toMatchObject({ ok: true, drifting: [], violations: [] });
  });

  test('an estimate and the final cost that corrects it', async () => {
    const requestId = await bench.hold(account, 500n, { progressNano: 90n });
    await bench.expireNow(account, requestId);
    await bench.book();
    expect(await bench.reconcile()).toMatchObject({ ok: true });
    await bench.charge(account, 60n, { requestId });
    expect(await bench.reconcile()).toMatchObject({ ok: true });
    await bench.book();
    expect(await bench.reconcile()).toMatchObject({ ok: true, violations: [] });
  });
});

test('reconciling can be limited to one account', async () => {
  await bench.harness.redis.hincrby(account.walletKey, 'available', 123);
  expect(await bench.reconcile({ accountId: other.accountId })).toMatchObject({ ok: true, accounts: 1, wallets: 1 });
  expect(await bench.reconcile({ accountId: account.accountId })).toMatchObject({ ok: false, accounts: 1 });
});
