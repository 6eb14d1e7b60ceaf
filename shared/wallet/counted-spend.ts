/** What Redis counts for budgets. */
import { type Scope, scopeName } from '../limits/budget-levels.ts';
import { type PerSpendLimit, perSpendLimit, windowNumber } from '../limits/spend-limits.ts';
import { decodeOffsets, isSameZone, type ZoneOffsets } from '../limits/zone-offsets.ts';
import type { RedisClient } from '../redis/connect.ts';
import { shardOfAccount } from './shard.ts';
import { keysOfShard } from './wallet-keys.ts';
import type { WalletScripts } from './wallet-scripts.ts';

export interface CountedSpend {
  /** What running requests and leases may still spend. */
  readonly heldNano: bigint;
  /** In the present windows. */
  readonly spentNano: PerSpendLimit<bigint>;
}

/** Undefined if the scope is not counted in this Redis, or in another zone. */
export async function readCounted(
  redis: RedisClient,
  scripts: WalletScripts,
  scope: Scope,
  { now, zone }: { readonly now: Date; readonly zone: ZoneOffsets },
): Promise<CountedSpend | undefined> {
  const keys = keysOfShard(shardOfAccount(scope.accountId));
  const record = await scripts.readSpend.run(redis, keys, { account: scope.accountId, scope: scopeName(scope) });
  const counted = decodeOffsets(record.zone ?? '');
  if (record.epoch !== record.shardEpoch || !isSameZone(counted, zone, now.getTime())) return undefined;
  const spentNano = perSpendLimit((limit) => {
    const isCurrent = limit.window === undefined || Number(record[limit.name]) === windowNumber(limit, now, zone);
    return isCurrent ? BigInt(record[limit.counted] ?? '0') : 0n;
  });
  return { heldNano: BigInt(record.held ?? '0'), spentNano };
}
