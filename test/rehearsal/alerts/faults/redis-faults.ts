/** Redis that is down, cut off from one proxy, slow, or nearly full. */
import type { Redis } from 'ioredis';
import { type Fault, throttle } from './fault.ts';

/** The alert is at 0.7; requests are refused at 0.9. */
const memoryShare = 0.8;

export const redisFaults: readonly Fault[] = [
  {
    name: 'Redis is stopped',
    fires: ['WalletUnavailable'],
    mayFire: ['ManyServerErrors', 'ProxyNotReady', 'ChargesNotConfirmed', 'WorkerFailing'],
    begin: async ({ redisServer }) => {
      await redisServer.stop();
      return () => redisServer.start();
    },
  },
  {
    name: 'a proxy with open streams is cut off from Redis',
    fires: ['ProxyNotReady', 'ChargesNotConfirmed'],
    mayFire: ['WalletUnavailable', 'ManyServerErrors', 'ManyBrokenStreams'],
    begin: async ({ link }) => {
      await link.refuse();
      return link.accept;
    },
  },
  {
    name: 'Redis gets a quarter of a core',
    // No response leaves before its hold is confirmed.
    fires: ['SlowWallet', 'SlowGateway'],
    begin: async ({ redis }) => throttle(Number(await infoOf(redis, 'process_id'))),
  },
  {
    name: 'Redis uses 80 % of its memory',
    fires: ['RedisMemoryLow'],
    begin: async ({ redis }) => {
      const used = Number(await infoOf(redis, 'used_memory'));
      await redis.config('SET', 'maxmemory', Math.round(used / memoryShare));
      return () => redis.config('SET', 'maxmemory', 0);
    },
  },
];

async function infoOf(redis: Redis, name: string): Promise<string> {
  const value = new RegExp(`^${name}:(\\S+)`, 'm').exec(await redis.info())?.[1];
  if (value === undefined) throw new Error(`INFO of Redis does not say ${name}`);
  return value;
}
