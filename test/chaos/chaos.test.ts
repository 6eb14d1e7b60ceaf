/**
 * The short form of `bun run chaos`: every fault once, under load, on real processes. After each, all requests so far
 * are judged again, so a late or duplicate charge is found by the next one at the latest. So are all payments of customers
 * who top up meanwhile, with the provider's truth.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { SeededRandom } from '../harness/seeded-random.ts';
import { adminFrozen, adminKilledAfterCommit, adminKilledBeforeCommit } from './faults/admin-faults.ts';
import { type Fault, inject } from './faults/fault.ts';
import { postgresKilled, postgresStopped } from './faults/postgres-faults.ts';
import {
  proxyFrozen,
  proxyKilledAfterReserve,
  proxyKilledInSettle,
  proxyKilledInStreams,
} from './faults/proxy-faults.ts';
import {
  redisClockSetBack,
  redisFlushed,
  redisFrozen,
  redisKilled,
  redisLost,
  redisLostWhilePostgresIsAway,
  redisRestarted,
} from './faults/redis-faults.ts';
import { settleAndJudge } from './judgement/verdict.ts';
import type { Attempt } from './load/attempt.ts';
import { startLoad } from './load/load.ts';
import { startPaymentLoad } from './load/payment-load.ts';
import { whyNoOtherClock } from './world/other-clock.ts';
import { createWorld, type World } from './world/world.ts';

const random = new SeededRandom(20_260_801);
/** Of its own: payments and requests are drawn at the same time. */
const payingRandom = new SeededRandom(20_260_802);
const requestsPerSecond = 60;
const aroundMs = 300;
const violationsShown = 10;
/** Far more than a busy machine needs. */
const restTimeoutMs = 90_000;
/** Servers are away for a second. */
const patienceMs = 60_000;
const attempts: Attempt[] = [];
let world: World;

beforeAll(async () => {
  world = await createWorld();
});

afterAll(async () => {
  await world?.stop();
});

async function endure(fault: Fault, awayMs = 1_000): Promise<string[]> {
  const paying = startPaymentLoad(world, { random: payingRandom, patienceMs });
  const load = startLoad(world, { random, requestsPerSecond });
  try {
    await Bun.sleep(aroundMs);
    await inject(fault, world, { random, awayMs, load });
    await Bun.sleep(aroundMs);
  } finally {
    await Promise.all([load.stop(), paying.stop()]);
    attempts.push(...load.attempts);
  }
  expect(paying.ordered()).toBeGreaterThan(0);
  const { violations } = await settleAndJudge(world, attempts, { timeoutMs: restTimeoutMs, agesHolds: true });
  return [...paying.problems, ...violations].slice(0, violationsShown);
}

test('admin killed before its commit: the next one books everything, once', async () => {
  expect(await endure(adminKilledBeforeCommit)).toEqual([]);
});

test('admin killed after its commit: charges that are read again are not booked again', async () => {
  expect(await endure(adminKilledAfterCommit)).toEqual([]);
});

test('admin frozen: no client notices, and everything is booked once', async () => {
  expect(await endure(adminFrozen)).toEqual([]);
});

test('Postgres stopped: no request fails because of it, and everything is booked afterwards', async () => {
  expect(await endure(postgresStopped)).toEqual([]);
});

test('Postgres killed: no request fails because of it, and everything is booked once', async () => {
  expect(await endure(postgresKilled)).toEqual([]);
});

test('proxy killed in mid-stream: nobody pays for more than the provider has written', async () => {
  expect(await endure(proxyKilledInStreams)).toEqual([]);
});

test('proxy killed between reserve and send: nobody pays for a request that no provider got', async () => {
  expect(await endure(proxyKilledAfterReserve)).toEqual([]);
});

test('proxy killed while it settles: charged once or not at all', async () => {
  expect(await endure(proxyKilledInSettle)).toEqual([]);
});

test('proxy frozen until its holds have expired: its late charge replaces the estimate', async () => {
  expect(await endure(proxyFrozen)).toEqual([]);
});

test('Redis restarted with its file: every charge is exact', async () => {
  expect(await endure(redisRestarted)).toEqual([]);
});

test('Redis killed: every charge is exact', async () => {
  expect(await endure(redisKilled)).toEqual([]);
});

test('Redis frozen: commands that timed out and ran later are charged once', async () => {
  expect(await endure(redisFrozen)).toEqual([]);
});

test('Redis lost with its file: every charge is exact by replay', async () => {
  expect(await endure(redisLost)).toEqual([]);
});

test('Redis emptied by FLUSHALL: every charge is exact by replay', async () => {
  expect(await endure(redisFlushed)).toEqual([]);
});

const clockUnavailable = await whyNoOtherClock();
if (clockUnavailable !== undefined) console.warn(`faults of clocks are skipped: ${clockUnavailable}`);

describe.skipIf(clockUnavailable !== undefined)('with another clock', () => {
  test('Redis restarted with its clock set back: every charge is exact', async () => {
    expect(await endure(redisClockSetBack)).toEqual([]);
  });

  test('Postgres away while Redis changes its clock and loses everything: every charge is exact', async () => {
    expect(await endure(redisLostWhilePostgresIsAway)).toEqual([]);
  });
});
