/** What Redis counts for budgets of one scope, as the wallet's scripts keep it (spend-records.lua). */

import type { RedisClient } from '../../../shared/redis/connect.ts';
import { spendFields } from '../../../shared/wallet/limit-rows.ts';
import { shardOfAccount } from '../../../shared/wallet/shard.ts';
import { keysOfShard } from '../../../shared/wallet/wallet-keys.ts';
import { walletScripts } from '../../../shared/wallet/wallet-scripts.ts';

/** The values that the record has, by name: `epoch`, `held`, `daySpent`. */
export async function readSpendRecord(
  redis: RedisClient,
  account: number,
  scope: string,
): Promise<Record<string, string>> {
  const { status: _status, ...record } = await walletScripts.readSpend.run(redis, keysOfAccount(account), {
    account,
    scope,
  });
  return record;
}

/** The scopes of the account's shard that have a record: keys' of the whole shard, and the account's others. */
export async function countedScopes(redis: RedisClient, account: number): Promise<string[]> {
  const { tag } = keysOfAccount(account);
  const ofKeys = await redis.keys(`${tag}:spend:*`);
  const others = await redis.hkeys(`${tag}:counted:${account}`);
  return [...ofKeys.map((name) => name.slice(`${tag}:spend:`.length)), ...others];
}

/** Makes values of the record of a member, project or organization wrong. */
export async function spoilSpendRecord(
  redis: RedisClient,
  account: number,
  scope: string,
  values: Readonly<Record<string, number>>,
): Promise<void> {
  const name = `${keysOfAccount(account).tag}:counted:${account}`;
  await redis.eval(
    `local record = {cmsgpack.unpack(redis.call('HGET', KEYS[1], ARGV[1]))}
    for place = 2, #ARGV, 2 do record[tonumber(ARGV[place])] = tonumber(ARGV[place + 1]) end
    redis.call('HSET', KEYS[1], ARGV[1], cmsgpack.pack(unpack(record)))`,
    ...[1, name, scope, ...Object.entries(values).flatMap(([field, value]) => [spendFields.indexOf(field) + 1, value])],
  );
}

const keysOfAccount = (account: number) => keysOfShard(shardOfAccount(account));
