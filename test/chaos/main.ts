/**
 * `bun run chaos [--minutes 5 | --rounds N] [--seed S] [--rate R] [--proxies N] [--only FAULT[,FAULT]] [--away SECONDS]`:
 * injects one fault after another under load, in an order that the seed decides; a round has each of them once. Then
 * everything comes to rest by itself: abandoned holds expire two to four minutes later, or up to nineteen after a clock was set
 * back. Exit code 1 on any violation.
 */
import { parseArgs } from 'node:util';
import { readLeased } from '../harness/read-metric.ts';
import { SeededRandom } from '../harness/seeded-random.ts';
import { longFaults } from './faults/all-faults.ts';
import { inject } from './faults/fault.ts';
import { clockBehindMax } from './faults/redis-faults.ts';
import { type Load, startLoad } from './load/load.ts';
import { startPaymentLoad } from './load/payment-load.ts';
import { renderReport } from './verification/report.ts';
import { settleAndVerify } from './verification/settle-and-verify.ts';
import { createWorld, type World } from './world/world.ts';

const ofBudgets = ['budget_exceeded', 'key_limit_exceeded'];
const minuteMs = 60_000;
const calmMsMin = 1_000;
const calmMsMax = 5_000;
/** A hold lives 90 s, and none expires in the first 90 s of a Redis, whose clock may be behind; admin looks every few seconds. */
const restTimeoutMs = 240_000 + clockBehindMax * 1_000;
/** Longer than servers are kept away. */
const patienceMs = 15 * minuteMs;

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '5' },
    /** Instead of the minutes. */
    rounds: { type: 'string' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    rate: { type: 'string', default: '60' },
    /** Parts of the faults' names, separated by commas. */
    only: { type: 'string', default: '' },
    /** How long servers stay away, instead of the fault's own duration. */
    away: { type: 'string' },
    proxies: { type: 'string', default: '2' },
  },
});
const [minutes, seed, requestsPerSecond, proxyCount] = [values.minutes, values.seed, values.rate, values.proxies].map(
  Number,
);
const rounds = values.rounds === undefined ? undefined : Number(values.rounds);
if (!minutes || !seed || !requestsPerSecond || !proxyCount || (rounds !== undefined && !(rounds >= 1))) {
  console.error('bun run chaos [--minutes 5 | --rounds 10] [--seed 1] [--rate 60] [--proxies 2]: numbers above 0');
  process.exit(2);
}

const parts = values.only.split(',');
const faults = longFaults.filter(({ fault }) => parts.some((part) => fault.name.includes(part)));
if (faults.length === 0) {
  console.error(`faults: ${longFaults.map(({ fault }) => fault.name).join(', ')}`);
  process.exit(2);
}

const startedAtMs = Date.now();
const length = rounds === undefined ? `${minutes} minutes` : `${rounds} rounds`;
say(`chaos for ${length} at ${requestsPerSecond} requests a second on ${proxyCount} proxies, seed ${seed}`);
const world = await createWorld({ proxyCount });
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => void world.stop().finally(() => process.exit(130)));
}
let failed = true;
try {
  const load = startLoad(world, { random: new SeededRandom(seed), requestsPerSecond });
  const paying = startPaymentLoad(world, { random: new SeededRandom(seed + 2), patienceMs });
  const untilMs = rounds === undefined ? Date.now() + minutes * minuteMs : Number.POSITIVE_INFINITY;
  await injectAll(world, load, { seed: seed + 1, untilMs });
  await Promise.all([load.stop(), paying.stop()]);
  say('no more requests; waiting for abandoned holds to expire and for everything to be booked');
  const verdict = await settleAndVerify(world, load.attempts, { timeoutMs: restTimeoutMs, agesHolds: false });
  const { incidents } = world;
  const leased = await Promise.all(world.proxies.alive.map(({ program }) => readLeased(program)));
  const leasedCount = leased.reduce((sum, count) => sum + count, 0);
  say(
    `at rest; checked ${verdict.checked.length} requests, of which the last proxies began ${leasedCount} from leases\n`,
  );
  const endings = [...world.proxies.endings, ...world.admins.endings];
  console.log(renderReport({ verdict, incidents, endings, lowestAvailableNano: load.lowestAvailableNano() }));
  const refusals = [...paying.refusals].map(([code, times]) => `, ${times} refunds refused: ${code}`).join('');
  console.log(`payments: ${paying.created()} ordered, ${paying.refunded()} refunded${refusals}`);
  console.log(
    `budgets: refused ${load.attempts.filter(({ view: { code = '' } }) => ofBudgets.includes(code)).length} requests`,
  );
  for (const problem of paying.problems) console.log(problem);
  failed = verdict.violations.length + paying.problems.length > 0;
} catch (error) {
  // Printed before the end, which may fail as well.
  console.error(error);
} finally {
  await world.stop();
}
process.exit(failed ? 1 : 0);

async function injectAll(world: World, load: Load, options: { seed: number; untilMs: number }): Promise<void> {
  const random = new SeededRandom(options.seed);
  for (let round = 1; round <= (rounds ?? Number.POSITIVE_INFINITY) && Date.now() < options.untilMs; round += 1) {
    for (const { fault, awayMsMin, awayMsMax } of random.shuffle(faults)) {
      await Bun.sleep(random.integer(calmMsMin, calmMsMax));
      const awayMs = values.away === undefined ? random.integer(awayMsMin, awayMsMax) : Number(values.away) * 1_000;
      if (Date.now() + awayMs > options.untilMs) return;
      say(`${fault.name}${awayMs === 0 ? '' : `, for ${(awayMs / 1_000).toFixed(1)} s`}`);
      await inject(fault, world, { random, awayMs, load });
    }
  }
}

function say(what: string): void {
  console.log(`${((Date.now() - startedAtMs) / 1_000).toFixed(1).padStart(6)} s  ${what}`);
}
