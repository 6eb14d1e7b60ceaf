/**
 * A rehearsal of production: the real load balancer, two proxies and two admins under load, while everything that an
 * operator does, and some of what they fear, happens step by step. What clients and the ledger saw is checked by the
 * same code as in `bun run chaos`.
 */

import type { Attempt } from '../chaos/load/attempt.ts';
import type { Incident } from '../chaos/verification/incident.ts';
import { settleAndVerify } from '../chaos/verification/settle-and-verify.ts';
import type { Verdict } from '../chaos/verification/verify.ts';
import { createWorld, type World } from '../chaos/world/world.ts';
import { logInAt } from '../harness/log-in-at.ts';
import { SeededRandom } from '../harness/seeded-random.ts';
import { type Sides, type SidesOptions, startSides } from './sides.ts';
import { type Look, startTraffic, type Traffic } from './traffic.ts';

const restTimeoutMs = 120_000;
/** The charge of a whole response leaves its proxy within this time, even on a busy machine. */
const chargeLeavesMs = 1_000;

export interface RehearsalOptions extends SidesOptions {
  readonly seed: number;
  readonly requestsPerSecond: number;
  readonly openStreams: number;
  /** How often every program is replaced. */
  readonly rounds: number;
  /** How long the traffic flows before the first step and after the last one; a quarter of it after each. */
  readonly calmMs: number;
  readonly onStep?: (name: string) => void;
}

export interface Step {
  readonly name: string;
  /** Nothing may fail in it, and no stream may be cut. */
  readonly isSmooth: boolean;
  readonly fromMs: number;
}

export interface Rehearsal {
  readonly steps: readonly Step[];
  readonly looks: readonly Look[];
  readonly verdict: Verdict;
  /** Programs that did not exit with code 0 after SIGTERM. */
  readonly badEndings: readonly string[];
}

export async function rehearse(options: RehearsalOptions): Promise<Rehearsal> {
  const world = await createWorld({ proxyCount: 0, adminCount: 0 });
  try {
    // The last release reads and books charges of three rows.
    if (options.secondSource !== undefined) await world.database.sql`UPDATE ledger_settings SET compact = false`;
    const sides = await startSides(world, options);
    try {
      return await rehearseOn(world, sides, options);
    } finally {
      await sides.stop();
    }
  } finally {
    await world.stop();
  }
}

async function rehearseOn(world: World, sides: Sides, options: RehearsalOptions): Promise<Rehearsal> {
  const [customer] = world.rich;
  if (customer === undefined) throw new Error('the world has no customers');
  const { url } = sides.balancer;
  const accessToken = await logInAt(url, customer);
  const traffic = startTraffic(world, { ...options, url, accessToken, random: new SeededRandom(options.seed) });
  const played = await play(world, sides, { traffic, options });
  await traffic.stop();
  const attempts = traffic.attempts.map((attempt) => ({ ...attempt, ...outcomeOf(attempt, world.incidents) }));
  const verdict = await settleAndVerify(world, attempts, { timeoutMs: restTimeoutMs, agesHolds: true });
  return { ...played, looks: traffic.looks, verdict };
}

async function play(
  world: World,
  sides: Sides,
  { traffic, options }: { traffic: Traffic; options: RehearsalOptions },
): Promise<Pick<Rehearsal, 'steps' | 'badEndings'>> {
  const steps: Step[] = [];
  const badEndings: string[] = [];
  const step = async (name: string, touches: Incident['touches'], act: () => Promise<unknown>) => {
    const fromMs = Date.now();
    steps.push({ name, isSmooth: touches === 'nothing', fromMs });
    options.onStep?.(name);
    const incident: Incident = { fault: name, touches, fromMs, untilMs: undefined };
    world.incidents.push(incident);
    await act();
    await traffic.whenFlowing();
    incident.untilMs = Date.now();
    await Bun.sleep(options.calmMs / 4);
  };
  await step('calm', 'nothing', () => Bun.sleep(options.calmMs));
  for (let round = 1; round <= options.rounds; round += 1) {
    for (const slot of sides.slots) {
      const name = `${slot.name} ${slot.side} replaced${options.rounds > 1 ? `, round ${round}` : ''}`;
      await step(name, 'nothing', async () => {
        const ending = await sides.replace(slot);
        if (ending !== 'exit code 0') badEndings.push(`${name}: ${ending}`);
      });
    }
  }
  const { redisServer, postgres } = world;
  await step('Postgres restarted', 'nothing', () => postgres.stop().then(() => postgres.start()));
  await step('Redis restarted', 'Redis', () => redisServer.stop().then(() => redisServer.start()));
  for (const slot of sides.slots.filter(({ name, side }) => name === 'proxy' && side === 1)) {
    await step('a proxy killed', 'a proxy', () => sides.kill(slot));
  }
  await step('calm again', 'nothing', () => Bun.sleep(options.calmMs));
  return { steps, badEndings };
}

/** Which proxy had a request is not known here: if one was killed in the meantime, it may have been that one. */
function outcomeOf({ startedAtMs, endedAtMs }: Attempt, incidents: readonly Incident[]): Pick<Attempt, 'replica'> {
  const killed = incidents.find(
    ({ touches, fromMs }) =>
      touches === 'a proxy' && startedAtMs <= fromMs + chargeLeavesMs && endedAtMs + chargeLeavesMs >= fromMs,
  );
  return { replica: { killedAtMs: killed?.fromMs } };
}
