/** What can happen to Redis: restarted, killed, frozen, and robbed of everything that it had. */
import type { Fault } from './fault.ts';

export const redisRestarted: Fault = {
  name: 'Redis restarted with its file',
  touches: 'Redis',
  inject: async ({ redisServer }) => {
    await redisServer.stop();
    await redisServer.start();
  },
};

export const redisKilled: Fault = {
  name: 'Redis killed and restarted',
  touches: 'Redis',
  inject: async ({ redisServer }) => {
    await redisServer.kill();
    await redisServer.start();
  },
};

/** Longer than a command may take: what timed out in the proxies runs when it goes on. */
export const redisFrozen: Fault = {
  name: 'Redis frozen beyond the time limit of a command',
  touches: 'Redis',
  inject: async ({ redisServer }, { awayMs }) => {
    redisServer.freeze();
    await Bun.sleep(Math.max(awayMs, 2_500));
    redisServer.thaw();
  },
};

/** The same server goes on without its keys. */
export const redisFlushed: Fault = {
  name: 'Redis emptied by FLUSHALL',
  touches: 'Redis',
  inject: async ({ redis }) => {
    await redis.flushall();
  },
};

export const redisLost: Fault = {
  name: 'Redis lost with its file',
  touches: 'Redis',
  inject: async ({ redisServer }) => {
    await redisServer.kill();
    await redisServer.removeData('appendonlydir');
    await redisServer.start();
  },
};
