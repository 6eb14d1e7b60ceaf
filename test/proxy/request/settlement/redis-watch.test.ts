/** Whether what was read from Redis is about the data that this process has written to it. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import { RedisWatch } from '../../../../proxy/request/settlement/redis-watch.ts';
import { createLog } from '../../../../shared/log.ts';
import { allShards, type Shard, shardOfAccount } from '../../../../shared/wallet/shard.ts';
import { readIdentity } from '../../../harness/wallet/shard-state.ts';
import { type Harness, startHarness } from '../../../harness.ts';

const log = createLog({ program: 'test', level: 'silent' });
const shard = shardOfAccount(7);

let harness: Harness;
let watch: RedisWatch;
let changed: ReadonlySet<Shard>[];
let resending: PromiseWithResolvers<void>;

beforeAll(async () => {
  harness = await startHarness();
});

afterAll(() => harness.stop());

async function openAll(epoch: number): Promise<void> {
  for (const each of allShards) {
    const identity = await readIdentity(harness.redis, each);
    await harness.keeper.writeMeta(each, { mode: 'open', epoch, identity });
  }
}

beforeEach(async () => {
  await openAll(1);
  changed = [];
  resending = Promise.withResolvers();
  watch = new RedisWatch({
    ...{ redis: harness.redis, log },
    onNewRedis: (shards) => {
      changed.push(shards);
      return resending.promise;
    },
  });
});

test('nothing is known to be unchanged before Redis was looked at', async () => {
  expect(await watch.isUnchanged(shard)).toBe(false);
  await watch.look();
  expect(await watch.isUnchanged(shard)).toBe(true);
  expect(changed).toEqual([]);
});

test('an emptied Redis is not unchanged before it is noticed, nor until everything is being sent again', async () => {
  await watch.look();
  await harness.redis.flushall();
  expect(await watch.isUnchanged(shard)).toBe(false);
  await openAll(2);
  expect(await watch.isUnchanged(shard)).toBe(false);
  await watch.look();
  expect(changed).toEqual([new Set(allShards)]);
  expect(await watch.isUnchanged(shard)).toBe(false);
  resending.resolve();
  await resending.promise;
  expect(await watch.isUnchanged(shard)).toBe(true);
});

test('a Redis that was emptied twice is not unchanged until both losses are being sent again', async () => {
  await watch.look();
  const first = resending;
  await openAll(2);
  await watch.look();
  resending = Promise.withResolvers();
  await openAll(3);
  await watch.look();
  expect(changed).toHaveLength(2);
  first.resolve();
  await first.promise;
  expect(await watch.isUnchanged(shard)).toBe(false);
  resending.resolve();
  await resending.promise;
  expect(await watch.isUnchanged(shard)).toBe(true);
});
