/** Charges that Redis lost while they were being booked, and that a proxy resends after the recovery. */
import { afterAll, expect, test } from 'bun:test';
import { DoubtfulShards } from '../../../../admin/wallets/recovery/doubtful-shards.ts';
import { keepShardsOpen } from '../../../../admin/wallets/recovery/keep-shards-open.ts';
import { applyUsage } from '../../../../admin/workers/apply-usage.ts';
import { createLog } from '../../../../shared/log.ts';
import { nanoUsd } from '../../../../shared/money.ts';
import { encodeChargeDetail } from '../../../../shared/usage/charge-detail.ts';
import { shardOfAccount } from '../../../../shared/wallet/shard.ts';
import type { ShardEntries } from '../../../../shared/wallet/usage-stream/usage-entry.ts';
import { UsageStream } from '../../../../shared/wallet/usage-stream/usage-stream.ts';
import { Wallet } from '../../../../shared/wallet/wallet.ts';
import { WalletAuditor } from '../../../../shared/wallet/wallet-auditor.ts';
import { guardTimeoutMs, readLedger, waitFor } from '../../../harness/account-view.ts';
import { violationsAtRest } from '../../../harness/books.ts';
import { detailOf } from '../../../harness/wallet/charge-detail.ts';
import { startHarness } from '../../../harness.ts';

const harness = await startHarness();
const { redis, keeper, database } = harness;
const log = createLog({ program: 'test', level: 'error' });
const wallet = new Wallet(redis);
const stream = new UsageStream(redis, () => {});
const doubtful = new DoubtfulShards(keeper);
const customer = await harness.createCustomer({ usd: '1' });
const { accountId } = customer;
const shard = shardOfAccount(accountId);
const costNano = 36_800n;
const charge = {
  costNano: nanoUsd(costNano),
  tokens: 0,
  detail: encodeChargeDetail(detailOf({ startedAtMs: Date.now() })),
};

afterAll(async () => {
  stream.close();
  await harness.stop();
});

const open = () =>
  keepShardsOpen({ sql: database.sql, redis, keeper, auditor: new WalletAuditor(redis), log, doubtful }, [shard]);
const apply = (source: Pick<UsageStream, 'read' | 'removeThrough'>) =>
  applyUsage({ database, keeper, log, doubtful }, source as UsageStream, [shard]);

test('charges that Redis lost during booking are made once, because the shard recovers again', async () => {
  await open();
  const held = { requestId: Bun.randomUUIDv7(), shard, accountId, keyId: customer.proxyKeyId, epoch: '1' };
  await wallet.settle(held, charge);
  const read = await stream.read([shard], 500);
  expect(read[0]?.entries.length).toBeGreaterThan(0);

  await redis.flushall();
  await open();
  // The batch that was read earlier is committed only now.
  await apply(lateReader(read));
  expect((await readLedger(harness, accountId)).spentNano).toBe(costNano);
  // The wallet exists again, and the proxy resends its charge.
  await loadWallet();
  await wallet.settle(held, charge);
  while ((await apply(stream)) > 0);

  expect(await open()).toBe(1);
  await wallet.settle(held, charge);
  while ((await apply(stream)) > 0);
  expect((await readLedger(harness, accountId)).spentNano).toBe(costNano);
  expect(await violationsAtRest(harness, [accountId])).toEqual([]);
  expect(await open()).toBe(0);
});

test('charges that are booked before the recovery has read the ledger do not make the shard recover again', async () => {
  while ((await open()) > 0);
  const { spentNano: before } = await readLedger(harness, accountId);
  const held = { requestId: Bun.randomUUIDv7(), shard, accountId, keyId: customer.proxyKeyId, epoch: '1' };
  await wallet.settle(held, charge);
  const read = await stream.read([shard], 500);
  await redis.flushall();
  const opening = open();
  await waitFor(
    'the recovery to begin',
    guardTimeoutMs,
    async () => (await keeper.readMeta(shard))?.mode === 'recovering',
  );
  await apply(lateReader(read));
  expect(await opening).toBe(1);
  expect(await open()).toBe(0);
  await loadWallet();
  await wallet.settle(held, charge);
  while ((await apply(stream)) > 0);
  expect((await readLedger(harness, accountId)).spentNano).toBe(before + costNano);
  expect(await violationsAtRest(harness, [accountId])).toEqual([]);
});

/** Another request has it loaded from the ledger. */
async function loadWallet(): Promise<void> {
  const other = { requestId: Bun.randomUUIDv7(), shard, accountId, keyId: customer.proxyKeyId, epoch: '1' };
  await wallet.renew(other, { amountNano: nanoUsd(1n), costNano: nanoUsd(0n), detail: '{}' });
  while ((await apply(stream)) > 0);
  await wallet.release(other);
}

/** Returns what was read from a stream that is now lost; removing finds nothing. */
function lateReader(read: readonly ShardEntries[]): Pick<UsageStream, 'read' | 'removeThrough'> {
  return { read: async () => [...read], removeThrough: (from, id) => stream.removeThrough(from, id) };
}
