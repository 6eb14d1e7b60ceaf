/** Final charges that reach Redis after a recovery: the ledger decides, and the wallet follows, even after crashes. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type Account, type ReconcileBench, startReconcileBench } from '../../wallets/reconcile/reconcile-bench.ts';

let bench: ReconcileBench;

beforeAll(async () => {
  bench = await startReconcileBench();
});

afterAll(() => bench.stop());

const spentOf = async ({ accountId }: Account) => {
  const [row] = await bench.harness.database.sql<{ spent_nano: string }[]>`
    SELECT spent_nano FROM accounts WHERE id = ${accountId}`;
  return BigInt(row?.spent_nano ?? 0);
};

/** Redis has forgotten the request, and its shard has recovered: a new epoch, and wallets set to the ledger. */
async function recoverWithout(account: Account, requestId: string, epoch: number): Promise<void> {
  const { redis, keeper } = bench.harness;
  await redis.del(account.holdKey(requestId));
  const meta = await keeper.readMeta(account.shard);
  await keeper.writeMeta(account.shard, { mode: 'open', identity: meta?.identity ?? '', epoch });
}

async function expectAgreement(account: Account, spentNano: bigint): Promise<void> {
  await bench.book();
  expect(await spentOf(account)).toBe(spentNano);
  expect(await bench.reconcile({ accountId: account.accountId })).toMatchObject({ ok: true, drifting: [] });
}

test('a charge that the ledger already has is not charged to the wallet again', async () => {
  const account = await bench.open('1');
  const requestId = await bench.spend(account, 70n);
  await recoverWithout(account, requestId, 2);
  await bench.charge(account, 70n, { requestId, epoch: '1' });
  await expectAgreement(account, 70n);
});

test('a charge that the ledger does not have is charged once', async () => {
  const account = await bench.open('1');
  await recoverWithout(account, Bun.randomUUIDv7(), 2);
  await bench.charge(account, 70n, { epoch: '1' });
  await expectAgreement(account, 70n);
});

test('a charge that replaces an estimate known only to the ledger is charged by the difference', async () => {
  const account = await bench.open('1');
  const requestId = await bench.hold(account, 500n, { progressNano: 90n });
  await bench.expireNow(account, requestId);
  await bench.book();
  await recoverWithout(account, requestId, 2);
  await bench.charge(account, 60n, { requestId, epoch: '1' });
  await expectAgreement(account, 60n);
});

test('an admin that crashes between its commit and the wallet leaves the work to the next one', async () => {
  const account = await bench.open('1');
  const booked = await bench.spend(account, 30n);
  await recoverWithout(account, booked, 2);
  await bench.charge(account, 30n, { requestId: booked, epoch: '1' });
  await bench.charge(account, 70n, { epoch: '1' });
  await bench.bookAndDie();
  expect(await spentOf(account)).toBe(100n);
  await expectAgreement(account, 100n);
});

test('an orphan of a missing wallet, and the wallet that is hydrated later, agree with the ledger', async () => {
  const account = await bench.open('1');
  await bench.harness.redis.del(account.walletKey);
  await bench.charge(account, 70n);
  await bench.harness.redis.xadd(account.usageKey, '*', 'entry', hydrateEntry(account));
  await expectAgreement(account, 70n);
});

function hydrateEntry({ accountId }: Account): string {
  return JSON.stringify({ kind: 'hydrate', account: String(accountId), key: '' });
}
