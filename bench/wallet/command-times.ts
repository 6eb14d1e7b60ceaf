/** The cost of a reserve's and a settle's commands alone: a lower bound for any script that does the same. */
import type { RedisClient } from '../../shared/redis/connect.ts';
import commands from './commands.lua' with { type: 'text' };

const pairsACall = 64;
const calls = 200;

/** Microseconds per pair. */
export async function commandTimes(redis: RedisClient, accountCount: number): Promise<number> {
  await fillAccounts(redis, accountCount);
  let microseconds = 0;
  for (let call = 0; call < calls; call += 1) {
    const parameters = [pairsACall, call * pairsACall, accountCount];
    microseconds += Number(await redis.eval(commands, 1, '{bench}:meta', ...parameters));
  }
  return microseconds / (calls * pairsACall);
}

async function fillAccounts(redis: RedisClient, accountCount: number): Promise<void> {
  await redis.hset('{bench}:meta', { mode: 'open', epoch: '1', identity: '0'.repeat(40) });
  for (let account = 0; account < accountCount; account += 1) {
    const key = { version: '1', account, id: account, active: '1', expiresAt: '', models: '', limits: '' };
    await redis.hset(`{bench}:caller:${account}`, key);
    const wallet = { available: '100000000000000', held: '0', spent: '0', credited: '100000000000000', creditSeq: '1' };
    await redis.hset(`{bench}:funds:${account}`, { ...wallet, seq: '0', version: '0' });
  }
}
