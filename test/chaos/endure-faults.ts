/**
 * The short form of `bun run chaos`: every fault once, under load, on real processes. After each, all requests so far
 * are checked again, so a late or duplicate charge is found by the next one at the latest. So are all payments of
 * customers who top up in the meantime, against the provider's truth.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { SeededRandom } from '../harness/seeded-random.ts';
import { type Fault, inject } from './faults/fault.ts';
import type { Attempt } from './load/attempt.ts';
import { startLoad } from './load/load.ts';
import { startPaymentLoad } from './load/payment-load.ts';
import { settleAndVerify } from './verification/settle-and-verify.ts';
import { createWorld, type World } from './world/world.ts';

const requestsPerSecond = 60;
const aroundMs = 300;
const violationsShown = 10;
/** Far more than a busy machine needs. */
const restTimeoutMs = 120_000;
/** Servers are down for a second. */
const awayMs = 1_000;
const patienceMs = 60_000;

/** One world, in which the faults happen one after the other: each fault, and what it must not harm. */
export function endureFaults(seed: number, faults: Readonly<Record<string, Fault>>): void {
  const random = new SeededRandom(seed);
  // A seed of its own: payments and requests are drawn concurrently.
  const payingRandom = new SeededRandom(seed + 1);
  const attempts: Attempt[] = [];
  let world: World;

  beforeAll(async () => {
    world = await createWorld();
  });

  afterAll(() => world?.stop());

  test.each(Object.entries(faults))('money and requests survive: %s (campaign)', async (_, fault) => {
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
    expect(paying.created()).toBeGreaterThan(0);
    const { violations } = await settleAndVerify(world, attempts, { timeoutMs: restTimeoutMs, agesHolds: true });
    expect([...paying.problems, ...violations].slice(0, violationsShown)).toEqual([]);
  });
}
