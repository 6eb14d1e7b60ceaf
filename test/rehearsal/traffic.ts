/**
 * Steady traffic through the load balancer: requests at a rate, whether or not earlier ones have ended; a number of
 * streams that are always open; and people who look at their accounts.
 */
import type { Attempt } from '../chaos/load/attempt.ts';
import { ask } from '../chaos/load/client.ts';
import type { Plan } from '../chaos/load/plan.ts';
import type { World } from '../chaos/world/world.ts';
import { waitFor } from '../harness/account-view.ts';
import type { SeededRandom } from '../harness/seeded-random.ts';

const tickMs = 20;
/** So that clients do not accumulate while nothing responds. */
const inFlightMax = 500;
const lookEveryMs = 50;
const lookMaxMs = 30_000;
const endTimeoutMs = 150_000;
/** After a failure, a client of a stream waits this long. */
const againMs = 200;

/** One look at an account. */
export interface Look {
  readonly endedAtMs: number;
  readonly status: number | undefined;
  readonly waitedMs: number;
}

export interface TrafficOptions {
  readonly url: string;
  readonly accessToken: string;
  readonly random: SeededRandom;
  readonly requestsPerSecond: number;
  readonly openStreams: number;
}

export interface Traffic {
  /** Requests that have ended. */
  readonly attempts: readonly Attempt[];
  readonly looks: readonly Look[];
  /** Until enough streams are open, and every customer had a whole response to a request that began after this call. */
  whenFlowing(): Promise<void>;
  /** Starts nothing more, and resolves when the last request has ended. */
  stop(): Promise<void>;
}

export function startTraffic(world: World, options: TrafficOptions): Traffic {
  const { random, url } = options;
  const attempts: Attempt[] = [];
  const looks: Look[] = [];
  let [inFlight, owed, made, isStopping] = [0, 0, 0, false];

  const begin = async (stream: boolean) => {
    made += 1;
    const plan = drawPlan(random, { marker: `r${made}`, stream });
    const customer = random.pick(world.rich);
    world.provider.expect(plan);
    const startedAtMs = Date.now();
    inFlight += 1;
    const view = await ask(plan, { url, key: customer.proxyKey, keepsConnection: random.chance(0.5) });
    inFlight -= 1;
    const replica = { killedAtMs: undefined };
    attempts.push({ plan, customer, replica, fault: 'none', startedAtMs, endedAtMs: Date.now(), view });
    return view.ending === 'complete';
  };
  const keepStreaming = async () => {
    while (!isStopping) if (!(await begin(true))) await Bun.sleep(againMs);
  };
  const keepLooking = async () => {
    while (!isStopping) {
      looks.push(await look(options));
      await Bun.sleep(lookEveryMs);
    }
  };
  const timer = setInterval(() => {
    for (owed += (options.requestsPerSecond * tickMs) / 1_000; owed >= 1; owed -= 1) {
      if (inFlight < inFlightMax) void begin(false);
    }
  }, tickMs);
  const running = [...Array.from({ length: options.openStreams }, keepStreaming), keepLooking(), keepLooking()];

  return {
    attempts,
    looks,
    whenFlowing: async () => {
      const fromMs = Date.now();
      await waitFor('the traffic to flow', endTimeoutMs, async () => {
        const completed = attempts.filter((one) => one.startedAtMs >= fromMs && one.view.ending === 'complete');
        const served = new Set(completed.map(({ customer }) => customer));
        return served.size === world.rich.length && world.provider.streamsRunning() >= options.openStreams * 0.9;
      });
    },
    stop: async () => {
      clearInterval(timer);
      isStopping = true;
      await Promise.all(running);
      await waitFor('the last requests to end', endTimeoutMs, async () => inFlight === 0);
    },
  };
}

/** Streams of two to eight seconds, which end within the grace, and short responses. */
function drawPlan(random: SeededRandom, { marker, stream }: Pick<Plan, 'marker' | 'stream'>): Plan {
  const tokens = random.integer(10, 30);
  return {
    ...{ marker, stream, tokens, tokensMax: 60, model: 'test/chat', reportsUsage: true },
    delayMs: stream ? random.integer(200, 270) : random.integer(10, 60),
    ...{
      namesBusyModel: false,
      provider: 'answers',
      breaksAfterTokens: 0,
      client: 'stays',
      leavesAfterTokens: 0,
      leavesAfterMs: 0,
    },
  };
}

async function look({ url, accessToken }: TrafficOptions): Promise<Look> {
  const startedAtMs = performance.now();
  const headers = { authorization: `Bearer ${accessToken}` };
  const status = await fetch(`${url}/api/balance`, { headers, signal: AbortSignal.timeout(lookMaxMs) })
    .then(async (response) => {
      await response.arrayBuffer();
      return response.status;
    })
    .catch(() => undefined);
  return { endedAtMs: Date.now(), status, waitedMs: performance.now() - startedAtMs };
}
