/** The connection to the server that currently has a shard's wallets. */
import { Command, type Redis } from 'ioredis';
import type { RedisClient } from '../redis/connect.ts';
import { StrictCluster } from '../redis/strict-cluster.ts';
import type { Shard } from './shard.ts';
import { keysOfShard } from './wallet-keys.ts';

const slots = new Map<Shard, number>();

/** Undefined while that server is not connected. */
export function masterOfShard(client: RedisClient, shard: Shard): Redis | undefined {
  if (client instanceof StrictCluster) return client.connectionOf(slotOf(shard));
  return client.status === 'ready' ? client : undefined;
}

/** All keys of a shard carry its tag and so have one slot. */
function slotOf(shard: Shard): number {
  let slot = slots.get(shard);
  if (slot === undefined) {
    slot = new Command('get', [keysOfShard(shard).meta]).getSlot();
    slots.set(shard, slot);
  }
  return slot;
}
