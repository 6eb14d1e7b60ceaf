/** A cluster whose layout changes: slots that move between masters, and a master that is not replaced. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'ioredis';
import { nanoUsd } from '../../shared/money.ts';
import { parseRedisAddress } from '../../shared/redis/address.ts';
import { canSend, didNotRun } from '../../shared/redis/can-send.ts';
import { connectRedis, type RedisClient, whenReady } from '../../shared/redis/connect.ts';
import { allShards } from '../../shared/wallet/shard.ts';
import { UsageStream } from '../../shared/wallet/usage-stream/usage-stream.ts';
import { guardTimeoutMs, waitFor } from '../harness/account-view.ts';
import { startRedisTopology } from '../harness/redis/start-topology.ts';
import type { RedisTopology } from '../harness/redis/topology.ts';
import { expireDue, readIdentity } from '../harness/wallet/shard-state.ts';
import { heldBy, reserveRequestOf, type TestAccount, WalletBench } from '../harness/wallet/wallet-bench.ts';

let directory: string;
let topology: RedisTopology;
let redis: RedisClient;
let bench: WalletBench;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'gateway-topology-'));
  // Fault proxies mean masters without replicas.
  topology = await startRedisTopology('cluster', { directory, faulty: true });
  redis = connectRedis(parseRedisAddress(topology.url), () => {});
  await whenReady(redis, 5_000);
  bench = new WalletBench(redis, async () => {});
});

afterAll(async () => {
  redis.disconnect();
  await topology.stop();
  await rm(directory, { recursive: true, force: true });
});

const slotOf = (account: TestAccount) => new Command('get', [`{s${account.shard}}`]).getSlot();
const failureOf = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );

test('a shard that moves to another master leaves nothing half done, and the books agree afterwards', async () => {
  const account = await bench.openAccount(1_000n);
  const other = await bench.openAccount(1_000n);
  const due = reserveRequestOf(account);
  await bench.wallet.reserve(due);
  await redis.zadd(`{s${account.shard}}:holds`, 1, due.requestId);
  const source = await topology.masterOf(`{s${account.shard}}`);
  const target = await topology.masterOf(`{s${other.shard}}`);
  expect(target).not.toBe(source);
  const slot = slotOf(account);
  const [sourceId, targetId] = [String(await source.cluster('MYID')), String(await target.cluster('MYID'))];
  await target.call('CLUSTER', 'SETSLOT', slot, 'IMPORTING', sourceId);
  await source.call('CLUSTER', 'SETSLOT', slot, 'MIGRATING', targetId);

  // The keys move one by one; at every point each script does either all of its work or none.
  const keys = await source.cluster('GETKEYSINSLOT', slot, 1_000);
  expect(keys.length).toBeGreaterThanOrEqual(4);
  for (const key of keys) {
    for (const attempt of [
      () => bench.wallet.reserve(reserveRequestOf(account)),
      () => bench.wallet.settle(heldBy(account, due.requestId), { costNano: nanoUsd(10n), detail: '{}', tokens: 0 }),
      () => expireDue(bench.keeper, account.shard),
      () => bench.keeper.credit({ accountId: account.accountId, creditSeq: 2, amountNano: 5n }),
      () => bench.hydrate(account.accountId, 1_000n),
    ]) {
      const error = await failureOf(attempt());
      expect(didNotRun(error)).toBe(true);
    }
    await source.migrate('127.0.0.1', Number(target.options.port), String(key), 0, 5_000);
  }
  expect((await bench.wallet.reserve(reserveRequestOf(other))).ok).toBe(true);
  await target.call('CLUSTER', 'SETSLOT', slot, 'NODE', targetId);
  await source.call('CLUSTER', 'SETSLOT', slot, 'NODE', targetId);

  expect(await bench.balances(account)).toEqual([900n, 100n, 0n]);
  // The other master has to be compared with the ledger first.
  expect(await expireDue(bench.keeper, account.shard)).toBe(0);
  const identity = await readIdentity(redis, account.shard);
  await bench.keeper.writeMeta(account.shard, { mode: 'open', epoch: 1, identity });
  expect(await expireDue(bench.keeper, account.shard)).toBe(1);
  expect((await bench.wallet.reserve(reserveRequestOf({ ...account, identity }))).ok).toBe(true);
  expect(await bench.balances(account)).toEqual([900n, 100n, 0n]);
});

test('a key that moved ahead of its slot is found by ASK, even if a connection is cut just then', async () => {
  const key = `{s${allShards[7]}}`;
  const source = await topology.masterOf(key);
  const masters = await Promise.all(allShards.map((shard) => topology.masterOf(`{s${shard}}`)));
  const target = masters.find((master) => master !== source);
  if (target === undefined) throw new Error('one master has all shards');
  const slot = new Command('get', [key]).getSlot();
  await target.call('CLUSTER', 'SETSLOT', slot, 'IMPORTING', String(await source.cluster('MYID')));
  await source.call('CLUSTER', 'SETSLOT', slot, 'MIGRATING', String(await target.cluster('MYID')));
  expect(await redis.incr(`${key}:moved`)).toBe(1);
  expect(await source.exists(`${key}:moved`).catch((error: Error) => error.message)).toStartWith('ASK');
  // An unhandled rejection would fail the run.
  for (let round = 0; round < 50; round += 1) {
    const sent = Array.from({ length: 20 }, () => failureOf(redis.incr(`${key}:moved`)));
    await Bun.sleep(1);
    for (const fault of topology.faults) fault.cut();
    await Promise.all(sent);
    await whenReady(redis, 5_000);
  }
  await source.call('CLUSTER', 'SETSLOT', slot, 'STABLE');
  await target.call('CLUSTER', 'SETSLOT', slot, 'STABLE');
  await waitFor('the client to notice the last cut and to mend it', guardTimeoutMs, async () => {
    const responses = allShards.map((shard) => failureOf(redis.get(`{s${shard}}:nothing`)));
    return (await Promise.all(responses)).every((error) => error === undefined);
  });
});

test('only the accounts of a master that is gone and not replaced are refused, and immediately', async () => {
  const accounts = await Promise.all(allShards.map(() => bench.openAccount(1_000n)));
  const [lost] = accounts;
  if (lost === undefined) throw new Error('no account');
  const lostMaster = await topology.masterOf(`{s${lost.shard}}`);
  const masters = await Promise.all(accounts.map(({ shard }) => topology.masterOf(`{s${shard}}`)));
  // The others continue without it.
  for (const master of new Set(masters)) await master.config('SET', 'cluster-require-full-coverage', 'no');
  const stream = new UsageStream(redis, () => {});
  await topology.killMaster(`{s${lost.shard}}`);
  await waitFor('the loss to be noticed', guardTimeoutMs, async () =>
    didNotRun(await failureOf(bench.wallet.reserve(reserveRequestOf(lost)))),
  );

  // A command that waited for its timeout would fail with another error.
  const results = await Promise.all(
    accounts.map(async (account, index) => {
      const isLost = masters[index] === lostMaster;
      const request = reserveRequestOf(account);
      const error = await failureOf(bench.wallet.reserve(request));
      if (isLost) return didNotRun(error);
      await bench.wallet.settle(heldBy(account, request.requestId), { costNano: nanoUsd(1n), detail: '{}', tokens: 0 });
      return error === undefined;
    }),
  );
  expect(results.every(Boolean)).toBe(true);
  expect(canSend(redis)).toBe(true);

  const served = accounts.filter((_, index) => masters[index] !== lostMaster);
  const waiting = new Set(served.map(({ shard }) => shard));
  await waitFor('the charges of the others', guardTimeoutMs, async () => {
    for (const { shard } of await stream.read(allShards, 500)) waiting.delete(shard);
    return waiting.size === 0;
  });
  stream.close();
});
