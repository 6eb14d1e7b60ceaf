/** Booking what the usage streams have: what is wrong with one account concerns no other one. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import { register } from 'prom-client';
import { applyUsage } from '../../../admin/workers/apply-usage.ts';
import { createLog } from '../../../shared/log.ts';
import { nanoUsd } from '../../../shared/money.ts';
import { encodeChargeDetail } from '../../../shared/usage/charge-detail.ts';
import { type Shard, shardCount, shardOfAccount } from '../../../shared/wallet/shard.ts';
import { UsageStream } from '../../../shared/wallet/usage-stream/usage-stream.ts';
import { Wallet } from '../../../shared/wallet/wallet.ts';
import { readLedger } from '../../harness/account-view.ts';
import type { Customer } from '../../harness/customers.ts';
import { detailOf } from '../../harness/wallet/charge-detail.ts';
import { type Harness, startHarness } from '../../harness.ts';

const log = createLog({ program: 'test', level: 'silent' });
const detail = encodeChargeDetail(detailOf());

let harness: Harness;
let stream: UsageStream;
let healthy: Customer;
let shard: Shard;
let brokenId: number;

beforeAll(async () => {
  harness = await startHarness();
  stream = new UsageStream(harness.redis, () => {});
});

afterAll(async () => {
  stream.close();
  await harness.stop();
});

beforeEach(async () => {
  healthy = await harness.createCustomer({ usd: '1' });
  shard = shardOfAccount(healthy.accountId);
  // In the same shard.
  brokenId = healthy.accountId + 1_000 * shardCount;
  await harness.database.sql`INSERT INTO accounts (id) OVERRIDING SYSTEM VALUE VALUES (${brokenId})`;
});

const keyOf = (kind: string, accountId: number) => `{s${shard}}:${kind}:${accountId}`;
const askForWallet = (accountId: number) =>
  harness.redis.xadd(
    `{s${shard}}:usage`,
    '*',
    'entry',
    JSON.stringify({ kind: 'hydrate', account: String(accountId), key: '', shown: '' }),
  );

/** Without a wallet number: it may have been booked before. */
async function chargeLate(accountId: number, nano: bigint): Promise<void> {
  const held = { requestId: Bun.randomUUIDv7(), shard, accountId, keyId: 1, epoch: '' };
  await new Wallet(harness.redis).settle(held, { costNano: nanoUsd(nano), tokens: 0, detail });
}

async function failuresCounted(): Promise<number> {
  const metric = await register.getSingleMetric('gateway_worker_failures_total')?.get();
  return metric?.values.find(({ labels }) => labels.worker === 'serve account')?.value ?? 0;
}

const apply = () => applyUsage({ ...harness, log }, stream, [shard]);

test('a wallet that cannot be loaded keeps no other entry of its shard in the stream', async () => {
  await harness.redis.set(keyOf('orphans', brokenId), 'not a hash');
  await askForWallet(brokenId);
  await askForWallet(healthy.accountId);
  await chargeLate(healthy.accountId, 70n);
  const failuresBefore = await failuresCounted();
  await apply();
  expect(await failuresCounted()).toBe(failuresBefore + 1);
  expect(await stream.length(shard)).toBe(0);
  expect((await readLedger(harness, healthy.accountId)).spentNano).toBe(70n);
  expect(await harness.keeper.readWallet(healthy.accountId)).toMatchObject({ availableNano: 999_999_930n });
  expect(await harness.keeper.readWallet(brokenId)).toBeUndefined();
});

test('a wallet that cannot be corrected keeps no other entry of its shard in the stream', async () => {
  await harness.openWallet(healthy.accountId);
  await chargeLate(brokenId, 30n);
  await chargeLate(healthy.accountId, 70n);
  await harness.redis.del(keyOf('orphans', brokenId));
  await harness.redis.set(keyOf('orphans', brokenId), 'not a hash');
  const failuresBefore = await failuresCounted();
  await apply();
  expect(await failuresCounted()).toBe(failuresBefore + 1);
  expect(await stream.length(shard)).toBe(0);
  expect((await readLedger(harness, brokenId)).spentNano).toBe(30n);
  expect(await harness.redis.exists(keyOf('orphans', healthy.accountId))).toBe(0);
});
