/** Requests whose state in Redis differs from the ledger are reported, and --repair corrects them. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { type Gateway, gatewayOf } from '../../cli/run-gateway.ts';
import { type Account, type ReconcileBench, startReconcileBench } from './reconcile-bench.ts';

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
});

const repair = () =>
  gateway<{ ok: boolean; repairedRequests: readonly object[] }>([
    ...['reconcile', '--repair', '--reason', 'incident 7', '--json'],
  ]);
const reasonsOf = (requestId: string) =>
  bench.harness.database.sql`SELECT reason FROM audit_entries
    WHERE action = 'request.repair' AND subject = ${`request ${requestId}`}`;

async function expectFault(kind: string, requestId: string, amountNano: bigint): Promise<void> {
  const { ok, violations } = await bench.reconcile();
  expect(ok).toBe(false);
  expect(violations).toMatchObject([{ kind, subject: `request ${requestId}`, amountNano }]);
  const { json, exitCode } = await repair();
  expect(json).toMatchObject({ ok: true, repairedRequests: [{ kind, requestId, accountId: account.accountId }] });
  expect(exitCode).toBe(0);
  expect(await reasonsOf(requestId)).toMatchObject([{ reason: 'incident 7' }]);
  expect(await bench.reconcile()).toMatchObject({ ok: true, violations: [] });
}

describe('a request in Redis', () => {
  test('a request in Redis that holds money although the ledger has charged it is released', async () => {
    const requestId = await bench.spend(account, 100n);
    // A failover to a copy from before the charge restores the hold, and comparing the wallet does not reveal it.
    await bench.harness.redis.del(account.holdKey(requestId));
    await bench.hold(account, 700n, { requestId });
    await expectFault('hold_of_booked_request', requestId, 700n);
    expect(await bench.harness.keeper.readWallet(account.accountId)).toMatchObject({ heldNano: 0n });
  });

  test('a request in Redis that would be charged more than it holds is charged no more than that', async () => {
    const requestId = await bench.hold(account, 700n, { progressNano: 900n });
    await expectFault('hold_overstated', requestId, 200n);
    expect(await bench.expireNow(account, requestId)).toBe(1);
    await bench.book();
    expect(await bench.reconcile()).toMatchObject({ ok: true });
    const [row] = await bench.harness.database.sql`SELECT spent_nano FROM accounts WHERE id = ${account.accountId}`;
    expect(row?.spent_nano).toBe('700');
  });

  test('a request in Redis whose estimate differs from the ledger’s gets the ledger’s', async () => {
    const requestId = await bench.hold(account, 700n, { progressNano: 180n });
    await bench.expireNow(account, requestId);
    await bench.book();
    await bench.harness.redis.set(account.holdKey(requestId), '1:0');
    await expectFault('estimate_differs', requestId, -180n);
    expect(await bench.harness.redis.get(account.holdKey(requestId))).toBe('1:180');
  });

  test('a request in Redis that holds and delivers as expected is no fault', async () => {
    await bench.hold(account, 700n, { progressNano: 700n });
    await bench.charge(account, 10n);
    expect(await bench.reconcile()).toMatchObject({ ok: true, violations: [] });
  });
});

test('an orphan that the wallet never absorbed is reported, and a repair absorbs it', async () => {
  const requestId = await bench.spend(account, 100n);
  const orphans = `{s${account.shard}}:orphans:${account.accountId}`;
  await bench.harness.redis.hset(orphans, `${requestId}:2`, '100:100');
  const { ok, violations } = await bench.reconcile();
  expect({ ok, violations }).toMatchObject({ ok: false, violations: [{ kind: 'orphan_left' }] });
  expect((await repair()).json.ok).toBe(true);
  expect(await bench.harness.redis.exists(orphans)).toBe(0);
});
