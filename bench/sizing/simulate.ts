/**
 * The queues of a gateway: requests arrive, share the cores of their proxy and of the provider's stand-in, are paid from a
 * lease, whose charges Redis draws together, and are booked in batches. What each step costs is given; how long requests take, how many
 * there are in a second, and how busy the cores are, comes out. The same seed gives the same result.
 */
import { SeededRandom } from '../../test/harness/seeded-random.ts';
import { Clock } from './engine/clock.ts';
import { Cores, type Process } from './engine/cores.ts';
import { GatheredDraws } from './engine/gathered-draws.ts';

/** CPU microseconds of a request. */
export interface Costs {
  readonly load: number;
  readonly proxy: number;
  readonly upstream: number;
  readonly redis: number;
  readonly admin: number;
  readonly postgres: number;
}

export type Part = keyof Costs;

export interface Setup {
  readonly seed: number;
  readonly costs: Costs;
  readonly proxies: number;
  /** Redis servers that share the accounts. */
  readonly redisServers: number;
  /** Each books a part of the shards, with a connection to Postgres. */
  readonly admins: number;
  /** Processes that share cores; parts that are not named have a core for each process. */
  readonly shared: readonly { readonly cores: number; readonly parts: readonly Part[] }[];
  /** Until a process that sleeps gets to work. */
  readonly wakeUs: number;
  /** What processes get of a core's time. */
  readonly shareMax: number;
  /** So many at a time, or so many a second at random times. */
  readonly arrivals: { readonly connections: number } | { readonly perSecond: number };
  readonly seconds: number;
}

export interface Simulated {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Cores in use. */
  readonly busy: Costs;
  /** Charges that a call of Redis draws. */
  readonly chargesPerDraw: number;
  /** Of a charge, from its settle to the ledger. */
  readonly bookedAfterMsMax: number;
}

const warmUpSeconds = 0.5;
/** proxy/request/leases/start-leases.ts, admin/workers/start-workers.ts */
const drawWaitUs = 10_000;
const bookingPauseUs = 250_000;
/** Postgres confirms a transaction once its disk has it. */
const commitUs = 2_000;
/**
 * Which part of the proxy's time comes before the provider is asked, after its response, when the client has its response
 * (accounting, and the garbage of it all), and with the reply of Redis to the draw.
 */
const proxyShares = { before: 0.4, after: 0.3, later: 0.2, reply: 0.1 };

export function simulate(setup: Setup): Simulated {
  const simulation = new Simulation(setup);
  simulation.start();
  simulation.clock.runUntil(warmUpSeconds * 1e6);
  simulation.measure();
  simulation.clock.runUntil((warmUpSeconds + setup.seconds) * 1e6);
  return simulation.result();
}

interface SimulatedProxy {
  readonly process: Process;
  readonly draws: GatheredDraws;
}

/** An admin with its connection to Postgres. */
interface Booker {
  readonly admin: Process;
  readonly postgres: Process;
  /** When each charge was drawn that is not booked. */
  unbooked: number[];
  isBooking: boolean;
}

class Simulation {
  readonly clock = new Clock();
  readonly #setup: Setup;
  readonly #random: SeededRandom;
  readonly #cores = new Map<Part, Cores>();
  readonly #processes: Record<Part, Process[]> = {
    load: [],
    proxy: [],
    upstream: [],
    redis: [],
    admin: [],
    postgres: [],
  };
  readonly #proxies: readonly SimulatedProxy[];
  readonly #bookers: readonly Booker[];
  #arrived = 0;
  #drawn = 0;
  #isMeasuring = false;
  #latencies: number[] = [];
  #busyBefore: Costs = { load: 0, proxy: 0, upstream: 0, redis: 0, admin: 0, postgres: 0 };
  #bookedAfterUsMax = 0;

  constructor(setup: Setup) {
    this.#setup = setup;
    this.#random = new SeededRandom(setup.seed);
    for (const { cores, parts } of setup.shared) {
      const shared = new Cores(this.clock, cores, setup.shareMax);
      for (const part of parts) this.#cores.set(part, shared);
    }
    const { proxies, redisServers, admins } = setup;
    const counts = { load: 1, proxy: proxies, upstream: 1, redis: redisServers, admin: admins, postgres: admins };
    for (const part of parts) {
      for (let made = 0; made < counts[part]; made += 1) this.#processes[part].push(this.#make(part));
    }
    this.#proxies = this.#processes.proxy.map((process, index) => {
      const redis = this.#one('redis', index);
      const draws = new GatheredDraws(this.clock, drawWaitUs, (charges, replied) => {
        this.#wake(redis, charges * setup.costs.redis, () =>
          this.#wake(process, charges * setup.costs.proxy * proxyShares.reply, replied),
        );
      });
      return { process, draws };
    });
    this.#bookers = this.#processes.admin.map((admin, index) => {
      return { admin, postgres: this.#one('postgres', index), unbooked: [], isBooking: false };
    });
  }

  start(): void {
    const { arrivals } = this.#setup;
    if ('perSecond' in arrivals) this.#arriveAt(arrivals.perSecond);
    else for (let made = 0; made < arrivals.connections; made += 1) this.#request(true);
  }

  measure(): void {
    this.#isMeasuring = true;
    this.#latencies = [];
    this.#bookedAfterUsMax = 0;
    this.#busyBefore = this.#busy();
  }

  result(): Simulated {
    const sorted = this.#latencies.toSorted((one, other) => one - other);
    const at = (share: number) => (sorted[Math.floor(sorted.length * share)] ?? 0) / 1_000;
    const [after, { seconds }] = [this.#busy(), this.#setup];
    const busy = Object.fromEntries(
      parts.map((part) => [part, (after[part] - this.#busyBefore[part]) / (seconds * 1e6)]),
    ) as unknown as Costs;
    const sum = (of: (each: GatheredDraws) => number) => this.#proxies.reduce((all, { draws }) => all + of(draws), 0);
    const calls = sum((draws) => draws.calls);
    return {
      perSecond: sorted.length / seconds,
      p50Ms: at(0.5),
      p99Ms: at(0.99),
      busy,
      chargesPerDraw: sum(({ charges }) => charges) / Math.max(1, calls),
      bookedAfterMsMax: this.#bookedAfterUsMax / 1_000,
    };
  }

  #make(part: Part): Process {
    return (this.#cores.get(part) ?? new Cores(this.clock, 1, this.#setup.shareMax)).process();
  }

  #busy(): Costs {
    const of = (part: Part) => this.#processes[part].reduce((sum, { busyUs }) => sum + busyUs, 0);
    return Object.fromEntries(parts.map((part) => [part, of(part)])) as unknown as Costs;
  }

  #arriveAt(perSecond: number): void {
    this.clock.after((-Math.log(1 - this.#random.next()) * 1e6) / perSecond, () => {
      this.#request(false);
      this.#arriveAt(perSecond);
    });
  }

  #request(isRepeated: boolean): void {
    const { costs } = this.#setup;
    const fromUs = this.clock.nowUs;
    const proxy = this.#proxies[this.#arrived++ % this.#proxies.length];
    if (proxy === undefined) throw new Error('there is no proxy');
    const respond = () => {
      proxy.draws.add(() => this.#charged());
      proxy.process.run(costs.proxy * proxyShares.later, () => {});
      this.#wake(this.#one('load'), costs.load / 2, () => {
        if (this.#isMeasuring) this.#latencies.push(this.clock.nowUs - fromUs);
        if (isRepeated) this.#request(true);
      });
    };
    this.#wake(this.#one('load'), costs.load / 2, () =>
      this.#wake(proxy.process, this.#varied(costs.proxy * proxyShares.before), () =>
        this.#wake(this.#one('upstream'), costs.upstream, () =>
          this.#wake(proxy.process, this.#varied(costs.proxy * proxyShares.after), respond),
        ),
      ),
    );
  }

  #charged(): void {
    const booker = this.#bookers[this.#drawn++ % this.#bookers.length];
    if (booker === undefined) throw new Error('there is no admin');
    booker.unbooked.push(this.clock.nowUs);
    if (!booker.isBooking) this.#book(booker);
  }

  /** Everything that is there, and after a pause what has arrived since. */
  #book(booker: Booker): void {
    const { costs } = this.#setup;
    const { admin, postgres, unbooked: batch } = booker;
    booker.unbooked = [];
    booker.isBooking = batch.length > 0;
    if (!booker.isBooking) return;
    const half = (batch.length * costs.admin) / 2;
    this.#wake(admin, half, () =>
      this.#wake(postgres, batch.length * costs.postgres, () =>
        this.clock.after(commitUs, () =>
          this.#wake(admin, half, () => {
            this.#bookedAfterUsMax = Math.max(this.#bookedAfterUsMax, this.clock.nowUs - (batch[0] ?? 0));
            this.clock.after(bookingPauseUs, () => this.#book(booker));
          }),
        ),
      ),
    );
  }

  /** A process that sleeps needs a moment to wake up. */
  #wake(process: Process, us: number, done: () => void): void {
    if (process.isIdle) this.clock.after(this.#setup.wakeUs, () => process.run(us, done));
    else process.run(us, done);
  }

  /** Requests differ: exponentially distributed, with this mean, around a half that all have. */
  #varied(us: number): number {
    return us / 2 - (us / 2) * Math.log(1 - this.#random.next());
  }

  #one(part: Part, index = 0): Process {
    const all = this.#processes[part];
    const found = all[index % all.length];
    if (found === undefined) throw new Error(`there is no ${part}`);
    return found;
  }
}

export const parts = ['load', 'proxy', 'upstream', 'redis', 'admin', 'postgres'] as const satisfies readonly Part[];
