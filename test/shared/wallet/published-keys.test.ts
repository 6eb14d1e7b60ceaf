/** Keys that are published together: every one is there in its latest state, in whatever order they come. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import fc from 'fast-check';
import { noKeyLimits } from '../../../shared/wallet/key-limits.ts';
import { shardCount, shardOfAccount } from '../../../shared/wallet/shard.ts';
import type { PublishedKey } from '../../../shared/wallet/wallet-keeper.ts';
import { startWalletBench, type WalletBench } from '../../harness/wallet/wallet-bench.ts';

let bench: WalletBench;
beforeAll(async () => {
  bench = await startWalletBench();
});
afterAll(() => bench.stop());

interface Publication {
  readonly accountId: number;
  readonly version: number;
  readonly deleted: boolean;
}

const keyOf = ({ accountId, version, deleted }: Publication): PublishedKey => ({
  ...{ id: accountId, accountId, hash: `hash-of-${accountId}`, version, deleted, active: true, addressProven: true },
  ...{ expiresAt: null, allowedModels: null, limits: noKeyLimits },
});

/** Most of one shard, and more of it than one call takes. */
const publication = fc.record({
  accountId: fc.oneof(
    { weight: 4, arbitrary: fc.nat(299).map((place) => (place + 1) * shardCount) },
    fc.integer({ min: 1, max: 99 }),
  ),
  version: fc.integer({ min: 1, max: 4 }),
});

test('any number of keys, of any shards and versions', async () => {
  const property = fc.asyncProperty(fc.array(publication, { maxLength: 600, size: 'max' }), async (published) => {
    await bench.redis.flushall();
    // Whether a version is deleted is decided by the version, or two of them could contradict each other.
    const keys = published.map((each) => keyOf({ ...each, deleted: each.version === 3 }));
    await bench.keeper.publishKeys(keys);
    const latest = Map.groupBy(keys, ({ accountId }) => accountId);
    for (const [accountId, versions] of latest) {
      const version = Math.max(...versions.map((key) => key.version));
      const stored = await bench.redis.hgetall(`{s${shardOfAccount(accountId)}}:key:hash-of-${accountId}`);
      expect(stored.version).toBe(String(version));
      expect(stored.account).toBe(version === 3 ? undefined : String(accountId));
    }
    expect(await bench.redis.keys('*:key:*')).toHaveLength(latest.size);
  });
  await fc.assert(property, { numRuns: 15, endOnFailure: true });
});

test('a key that cannot be published is an error', async () => {
  const wrong = { ...keyOf({ accountId: 1, version: 1, deleted: false }), version: -1 };
  await expect(bench.keeper.publishKeys([wrong])).rejects.toThrow('not an amount');
});
