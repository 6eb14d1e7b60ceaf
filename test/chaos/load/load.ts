/**
 * Steady load from many customers: starts requests at a rate, whether or not earlier ones have ended, up to a limit.
 */
import { waitFor } from '../../harness/account-view.ts';
import type { Customer } from '../../harness/customers.ts';
import type { SeededRandom } from '../../harness/seeded-random.ts';
import type { Replica } from '../world/replicas.ts';
import { customersOf, type World } from '../world/world.ts';
import type { Attempt } from './attempt.ts';
import { ask } from './client.ts';
import { drawPlan } from './plan.ts';
import { startRaising } from './raise-budgets.ts';

const tickMs = 20;
const sampleMs = 250;
/** So that clients do not pile up for ever on a proxy that does not respond. */
const inFlightMax = 150;
const shares = { rich: 8, poor: 1, budgeted: 1 };
const servingTimeoutMs = 180_000;
const endTimeoutMs = 150_000;

export interface Load {
  /** Requests that have ended. */
  readonly attempts: readonly Attempt[];
  /** The lowest available balance that any customer was ever seen with. */
  readonly lowestAvailableNano: () => bigint;
  /** Until every proxy and every customer had a complete response to a request that began after this call. */
  whenServing(): Promise<void>;
  /** Starts no more requests, and resolves when the last one has ended. */
  stop(): Promise<void>;
}

export function startLoad(world: World, options: { random: SeededRandom; requestsPerSecond: number }): Load {
  const attempts: Attempt[] = [];
  const inFlight = new Map<Replica, number>();
  let owed = 0;
  let lowestAvailableNano = 0n;
  let samples = 0;

  const begin = async (replica: Replica) => {
    const { random } = options;
    const customer = random.pick<Customer>(world[random.weighted(shares)]);
    const plan = drawPlan(random);
    inFlight.set(replica, (inFlight.get(replica) ?? 0) + 1);
    world.provider.expect(plan);
    const fault = world.incidents.at(-1)?.fault ?? 'none yet';
    const startedAtMs = Date.now();
    const view = await ask(plan, { url: replica.program.url, key: customer.proxyKey });
    inFlight.set(replica, (inFlight.get(replica) ?? 0) - 1);
    attempts.push({ plan, customer, replica, fault, startedAtMs, endedAtMs: Date.now(), view });
  };
  const tick = () => {
    for (owed += (options.requestsPerSecond * tickMs) / 1_000; owed >= 1; owed -= 1) {
      const open = world.proxies.alive.filter((replica) => (inFlight.get(replica) ?? 0) < inFlightMax);
      if (open.length > 0) void begin(options.random.pick(open));
    }
  };
  const sample = async () => {
    const wallets = await Promise.all(customersOf(world).map(({ accountId }) => world.keeper.readWallet(accountId)));
    for (const wallet of wallets) {
      if (wallet === undefined) continue;
      if (samples === 0 || wallet.availableNano < lowestAvailableNano) lowestAvailableNano = wallet.availableNano;
      samples += 1;
    }
  };
  const stopRaising = startRaising(world);
  const timers = [setInterval(tick, tickMs), setInterval(() => void sample().catch(() => {}), sampleMs)];

  return {
    attempts,
    lowestAvailableNano: () => lowestAvailableNano,
    whenServing: async () => {
      const sentAtMs = Date.now();
      await waitFor('all customers to be served', servingTimeoutMs, async () => {
        const completed = attempts.filter(
          ({ startedAtMs, view }) => startedAtMs >= sentAtMs && view.ending === 'complete',
        );
        const [proxies, customers] = [
          new Set(completed.map(({ replica }) => replica)),
          new Set(completed.map(({ customer }) => customer)),
        ];
        return (
          world.proxies.alive.every((proxy) => proxies.has(proxy)) && world.rich.every((each) => customers.has(each))
        );
      });
    },
    stop: async () => {
      for (const timer of timers) clearInterval(timer);
      await stopRaising();
      await waitFor('the last requests to end', endTimeoutMs, async () => [...inFlight.values()].every((n) => n === 0));
      await sample();
    },
  };
}
