/**
 * A Redis that is restored from an old copy of itself: requests that were charged long ago hold money again, and
 * proxies that were cut off resend their charges. The age of the copy does not matter.
 */
import { afterAll, expect, test } from 'bun:test';
import { deleteKey } from '../../../../admin/keys/change-key.ts';
import { createKey } from '../../../../admin/keys/create-key.ts';
import { deliverOutbox } from '../../../../admin/wallets/deliver-outbox.ts';
import { keepShardsOpen } from '../../../../admin/wallets/recovery/keep-shards-open.ts';
import { applyUsage } from '../../../../admin/workers/apply-usage.ts';
import { hashKey } from '../../../../shared/keys/api-key.ts';
import { createLog } from '../../../../shared/log.ts';
import { nanoUsd } from '../../../../shared/money.ts';
import { encodeChargeDetail } from '../../../../shared/usage/charge-detail.ts';
import { shardOfAccount } from '../../../../shared/wallet/shard.ts';
import { UsageStream } from '../../../../shared/wallet/usage-stream/usage-stream.ts';
import { type HeldRequest, Wallet } from '../../../../shared/wallet/wallet.ts';
import { WalletAuditor } from '../../../../shared/wallet/wallet-auditor.ts';
import { readLedger } from '../../../harness/account-view.ts';
import { violationsAtRest } from '../../../harness/books.ts';
import { detailOf } from '../../../harness/wallet/charge-detail.ts';
import { readIdentity } from '../../../harness/wallet/shard-state.ts';
import { reserveRequestOf } from '../../../harness/wallet/wallet-bench.ts';
import { startHarness } from '../../../harness.ts';

const harness = await startHarness();
const { redis, keeper, database } = harness;
const log = createLog({ program: 'test', level: 'error' });
const auditor = new WalletAuditor(redis);
const wallet = new Wallet(redis);
const stream = new UsageStream(redis, () => {});
const customer = await harness.createCustomer({ usd: '1' });
const { accountId, proxyKeyId: keyId } = customer;
const shard = shardOfAccount(accountId);
const costNano = nanoUsd(36_800n);
const detail = encodeChargeDetail(detailOf({ startedAtMs: Date.now() }));
const charge = { costNano, tokens: 0, detail };

afterAll(async () => {
  stream.close();
  await harness.stop();
});

const recover = () => keepShardsOpen({ sql: database.sql, redis, keeper, auditor, log }, [shard]);
const spentNano = async () => (await readLedger(harness, accountId)).spentNano;

async function book(): Promise<void> {
  while ((await applyUsage({ database, keeper, log }, stream, [shard])) > 0);
}

/** All data in Redis, and a way to restore it under another identity. */
async function copyRedis(): Promise<() => Promise<void>> {
  const names = await redis.keys('*');
  const copy = await Promise.all(names.map(async (name) => ({ name, content: await redis.dumpBuffer(name) })));
  return async () => {
    await redis.flushall();
    for (const { name, content } of copy) if (content) await redis.restore(name, 0, content);
    await redis.hset(`{s${shard}}:meta`, 'identity', 'the one before');
  };
}

/** Holds 50,000 nano-dollars. */
async function begin(): Promise<HeldRequest> {
  const keyHash = hashKey(customer.proxyKey, harness.keyPepper);
  const account = { accountId, shard, keyHash, identity: await readIdentity(redis, shard) };
  const request = reserveRequestOf(account, { models: ['test/chat'], amountNano: nanoUsd(50_000n), detail });
  const reserved = await wallet.reserve(request);
  if (!reserved.ok) throw new Error(reserved.reason);
  return { requestId: request.requestId, shard, accountId, keyId, epoch: reserved.epoch };
}

test('the hold of a booked request is released, and it is not charged again', async () => {
  await recover();
  const held = await begin();
  const comeBack = await copyRedis();
  await wallet.settle(held, charge);
  await book();

  await comeBack();
  expect(await keeper.readWallet(accountId)).toMatchObject({ heldNano: 50_000n });
  await recover();
  expect(await keeper.readWallet(accountId)).toMatchObject({ heldNano: 0n, availableNano: 1_000_000_000n - costNano });
  await wallet.settle(held, charge);
  await book();
  expect(await spentNano()).toBe(costNano);
  expect(await violationsAtRest(harness, [accountId])).toEqual([]);
});

test('a charge resent after the recovery by a proxy that was cut off is made once', async () => {
  const before = await spentNano();
  const [booked, unbooked, running] = [await begin(), await begin(), await begin()];
  await wallet.settle(booked, charge);
  await book();

  await redis.flushall();
  await recover();
  // The wallet exists again before the charges arrive.
  await wallet.renew(running, { amountNano: nanoUsd(1n), costNano: nanoUsd(0n), detail });
  await book();
  await wallet.settle(booked, charge);
  await wallet.settle(unbooked, charge);
  await book();
  expect(await spentNano()).toBe(before + 2n * costNano);
  await wallet.release(running);
  expect(await violationsAtRest(harness, [accountId])).toEqual([]);
});

test('a deleted key is not restored', async () => {
  const { db } = database;
  const input = { accountId, name: 'short-lived', expiresAt: null, kind: 'proxy' } as const;
  const { id, key } = await createKey(db, harness.keyPepper, input);
  const deliver = () => deliverOutbox({ sql: database.sql, keeper }, accountId);
  await deliver();
  const keyHash = hashKey(key, harness.keyPepper);
  const admit = async () => wallet.admit({ shard, keyHash, identity: await readIdentity(redis, shard) });
  expect(await admit()).toMatchObject({ ok: true, firstHash: keyHash });
  const comeBack = await copyRedis();
  await deleteKey(db, { id, accountId, kind: 'proxy' });
  await deliver();
  expect(await admit()).toMatchObject({ reason: 'key_unknown' });

  await comeBack();
  await recover();
  expect(await admit()).toMatchObject({ reason: 'key_unknown' });
});
