/** At rest: nothing is held, nothing is on its way, and every balance agrees with the ledger. */
import { allShards } from '../../shared/wallet/shard.ts';
import { waitFor } from '../harness/account-view.ts';
import { violationsAtRest } from '../harness/books.ts';
import type { World } from './world.ts';

const restTimeoutMs = 120_000;

export async function violationsInTheEnd(world: World): Promise<string[]> {
  const { harness, accountIds } = world;
  const left = async () => {
    const shards = await Promise.all(
      allShards.map(async (shard) => ({
        shard,
        holds: await harness.redis.zcard(`{s${shard}}:holds`),
        charges: await harness.redis.xlen(`{s${shard}}:usage`),
      })),
    );
    return shards
      .filter(({ holds, charges }) => holds + charges > 0)
      .map(({ shard, holds, charges }) => `shard ${shard}: ${holds} holds and ${charges} charges are left`);
  };
  try {
    await waitFor('rest', restTimeoutMs, async () => (await left()).length === 0);
    return await violationsAtRest(harness, accountIds);
  } catch (error) {
    return [String(error), ...(await left())];
  }
}
