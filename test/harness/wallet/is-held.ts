/** Whether a request holds money in Redis; an outcome replaces the hold. */
import type { Redis } from 'ioredis';
import { shardOfAccount } from '../../../shared/wallet/shard.ts';

export async function isHeld(
  redis: Pick<Redis, 'get'>,
  { accountId, requestId }: { readonly accountId: number; readonly requestId: string },
): Promise<boolean> {
  const known = await redis.get(`{s${shardOfAccount(accountId)}}:request:${requestId}`);
  return known !== null && !/^(void|\d:)/.test(known);
}
