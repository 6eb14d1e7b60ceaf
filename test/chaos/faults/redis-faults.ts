/** Faults of Redis: restarted, killed, frozen, and emptied. */
import { readEntries } from '../../../shared/wallet/usage-stream/usage-entry.ts';
import { waitFor } from '../../harness/account-view.ts';
import { shardsOf, type World } from '../world/world.ts';
import type { Fault } from './fault.ts';

const chargesMin = 40;
const waitMs = 120_000;

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
  losesWrites: true,
  inject: async ({ redisServer }) => {
    await redisServer.kill();
    await redisServer.start();
  },
};

/** Longer than the command timeout: commands that timed out in the proxies run when Redis resumes. */
export const redisFrozen: Fault = {
  name: 'Redis frozen beyond the time limit of a command',
  touches: 'Redis',
  inject: async ({ redisServer }, { awayMs }) => {
    redisServer.freeze();
    await Bun.sleep(Math.max(awayMs, 2_500));
    redisServer.thaw();
  },
};

/** The same server continues without its keys. */
export const redisFlushed: Fault = {
  name: 'Redis emptied by FLUSHALL',
  touches: 'Redis',
  losesWrites: true,
  inject: (world) => whileChargesWait(world, async () => void (await world.redis.flushall())),
};

export const redisLost: Fault = {
  name: 'Redis lost with its file',
  touches: 'Redis',
  losesWrites: true,
  inject: async (world) => {
    const { redisServer } = world;
    await whileChargesWait(world, () => redisServer.kill());
    await redisServer.removeData('appendonlydir');
    await redisServer.start();
  },
};

/** In seconds. Holds that were made before live so much longer. */
export const clockBehindMax = 900;

/** Charges get smaller ids from its clock, and holds live longer. */
export const redisClockSetBack: Fault = {
  name: 'Redis restarted with its clock set back',
  touches: 'Redis',
  inject: async ({ redisServer }, { random }) => {
    redisServer.setClockBehind(random.integer(10, clockBehindMax));
    await redisServer.stop();
    await redisServer.start();
  },
};

/**
 * Charges wait in Redis and in the proxies for a Postgres that is down; in the meantime Redis changes its clock, and
 * then loses all its data.
 */
export const redisLostWhilePostgresIsAway: Fault = {
  name: 'Postgres away while Redis changes its clock and loses everything',
  touches: 'Redis',
  losesWrites: true,
  inject: async (world, { random, awayMs }) => {
    const { redisServer, postgres } = world;
    await postgres.stop();
    await Bun.sleep(awayMs / 2);
    redisServer.setClockBehind(random.integer(10, clockBehindMax));
    await redisServer.stop();
    await redisServer.start();
    await Bun.sleep(awayMs / 2);
    await noteUnbooked(world);
    await redisServer.kill();
    await redisServer.removeData('appendonlydir');
    redisServer.setClockBehind(0);
    await redisServer.start();
    await postgres.start();
  },
};

/**
 * Loses data that only Redis and the proxies' memory have: while the accounts are locked here, no admin can book it.
 */
async function whileChargesWait(world: World, lose: () => Promise<void>): Promise<void> {
  await world.database.sql.begin(async (transaction) => {
    await transaction`SELECT FROM accounts ORDER BY id FOR NO KEY UPDATE`;
    await waitFor('charges to wait', waitMs, async () => {
      const waiting = await Promise.all(shardsOf(world).map((shard) => world.redis.xlen(`{s${shard}}:usage`)));
      return waiting.reduce((sum, length) => sum + length, 0) >= chargesMin;
    });
    await noteUnbooked(world);
    await lose();
  });
}

/** If their proxies die too, nothing knows of these charges any more. */
async function noteUnbooked(world: World): Promise<void> {
  const streams = shardsOf(world).map((shard) => world.redis.xrange(`{s${shard}}:usage`, '-', '+'));
  for (const { fields, drawn } of (await Promise.all(streams)).flat().flatMap(readEntries)) {
    const requestId = drawn?.request ?? fields.request;
    if (requestId !== undefined) world.lostBeforeBooked.add(requestId);
  }
}
