/**
 * How many programs a load needs. What a request costs depends on how busy its core is, because a core that sleeps between
 * two requests has cold caches; the bench has measured that at three loads, and between them costs are interpolated.
 */
import type { BenchFigures } from './read-results.ts';
import { type Costs, type Simulated, simulate } from './simulate.ts';

/** Above it, requests wait for each other, and the load of a machine that fails has nowhere to go. */
export const busyMax = 0.6;
/** One may fail. */
const proxiesMin = 2;
/** So that a run has enough requests for its slowest ones, and not too many. */
const requestsSimulated = 40_000;
/** So that each admin books several times. */
const secondsMin = 1;
/** admin/… and proxy/request/settlement renew an open stream's hold this often. */
const renewalSeconds = 30;
/** What a model of today writes, as in the first table of open streams. */
export const chunksPerSecond = 20;

type Priced = 'proxy' | 'redis' | 'admin' | 'postgres';

/** Costs by how busy the core was that they were measured on, the least busy first. */
export class CostCurve {
  readonly #points: readonly { readonly busy: number; readonly us: number }[];

  constructor(points: readonly { readonly busy: number; readonly us: number }[]) {
    this.#points = points.toSorted((one, other) => one.busy - other.busy);
  }

  /** Beyond the measurements, the nearest of them. */
  at(busy: number): number {
    const above = this.#points.findIndex((point) => point.busy >= busy);
    const [low, high] = [this.#points[above - 1], this.#points[above]];
    if (high === undefined) return this.#points.at(-1)?.us ?? Number.NaN;
    if (low === undefined) return high.us;
    return low.us + ((high.us - low.us) * (busy - low.busy)) / (high.busy - low.busy);
  }

  /** Requests a second that keep one core this busy. */
  rateAt(busy: number): number {
    return (busy * 1e6) / this.at(busy);
  }

  /** How busy so many requests a second keep a core; above 1 if it cannot keep up. */
  busyAt(perSecond: number): number {
    // More requests cost less each, but never less in total: a bisection finds where both agree.
    let [low, high] = [0, 1];
    for (let step = 0; step < 40; step += 1) {
      const middle = (low + high) / 2;
      if (this.rateAt(middle) < perSecond) low = middle;
      else high = middle;
    }
    return high < 1 ? high : (perSecond * this.at(1)) / 1e6;
  }
}

export function curvesOf({ closed, open }: BenchFigures): Readonly<Record<Priced, CostCurve>> {
  const all = [...open, closed];
  const beside = (part: Priced) =>
    new CostCurve(all.map(({ otherBusy, costs }) => ({ busy: otherBusy, us: costs[part] })));
  return {
    proxy: new CostCurve(all.map(({ proxyBusy, costs }) => ({ busy: proxyBusy, us: costs.proxy }))),
    redis: beside('redis'),
    admin: beside('admin'),
    postgres: beside('postgres'),
  };
}

/** Requests a second that one process of each kind takes at `busyMax`. */
export function limitsOf(figures: BenchFigures): Readonly<Record<Priced, number>> {
  const curves = curvesOf(figures);
  const limit = (part: Priced) => curves[part].rateAt(busyMax);
  return { proxy: limit('proxy'), redis: limit('redis'), admin: limit('admin'), postgres: limit('postgres') };
}

export interface RequestPlan {
  readonly perSecond: number;
  readonly proxies: number;
  readonly redisServers: number;
  readonly admins: number;
  /** Cores in use, of each proxy, of each Redis, of each admin, and of Postgres for each admin. */
  readonly busy: Readonly<Record<Priced, number>>;
  /** What the gateway adds to a request. */
  readonly simulated: Simulated;
}

export function planRequests(figures: BenchFigures, perSecond: number, seed: number): RequestPlan {
  const curves = curvesOf(figures);
  const isCluster = perSecond > limitsOf(figures).redis;
  // In a cluster, charges are drawn together with those of their own shard only: nearly every one has a call of its own, as at
  // the lowest rate of the bench.
  const [lowest] = figures.open;
  if (lowest === undefined) throw new Error('the report has no measurement at a rate');
  const proxyRate = isCluster ? (busyMax * 1e6) / lowest.costs.proxy : curves.proxy.rateAt(busyMax);
  const redisRate = isCluster ? (busyMax * 1e6) / lowest.costs.redis : curves.redis.rateAt(busyMax);
  const proxies = Math.max(proxiesMin, Math.ceil(perSecond / proxyRate));
  const redisServers = Math.ceil(perSecond / redisRate);
  const admins = Math.ceil(perSecond / curves.admin.rateAt(busyMax));
  const busyOf = (part: Priced, servers: number) => {
    const fixed = isCluster && (part === 'proxy' || part === 'redis') ? lowest.costs[part] : undefined;
    return fixed === undefined ? curves[part].busyAt(perSecond / servers) : (perSecond * fixed) / servers / 1e6;
  };
  const busy = {
    proxy: busyOf('proxy', proxies),
    redis: busyOf('redis', redisServers),
    admin: busyOf('admin', admins),
    postgres: busyOf('postgres', admins),
  };
  const costOf = (part: Priced, servers: number) => (busy[part] * servers * 1e6) / perSecond;
  const costs: Costs = {
    // Clients and providers are elsewhere.
    ...{ load: 0, upstream: 0 },
    proxy: costOf('proxy', proxies),
    redis: costOf('redis', redisServers),
    admin: costOf('admin', admins),
    postgres: costOf('postgres', admins),
  };
  const { wakeUs } = lowest;
  const seconds = Math.max(secondsMin, requestsSimulated / perSecond);
  const simulated = simulate({
    ...{ seed, costs, proxies, redisServers, admins, wakeUs, seconds, shareMax: figures.shareMax },
    ...{ shared: [], arrivals: { perSecond } },
  });
  return { perSecond, proxies, redisServers, admins, busy, simulated };
}

export interface StreamPlan {
  readonly streams: number;
  readonly chunksPerSecond: number;
  /** Cores in use by all proxies together. */
  readonly cores: number;
  readonly proxies: number;
  readonly gigabytesEach: number;
  /** With prompts of 100 KB. */
  readonly gigabytesEachLong: number;
  readonly renewalsPerSecond: number;
  /** The share of a core that renewals take of Redis. */
  readonly redisBusy: number;
}

export function planStreams(figures: BenchFigures, streams: number): StreamPlan {
  const { chunkUs, streams: memory } = figures;
  const chunks = streams * chunksPerSecond;
  const cores = (chunks * chunkUs) / 1e6;
  const proxies = Math.max(proxiesMin, Math.ceil(cores / busyMax));
  const gigabytes = (kbPerStream: number) => (memory.startedMb + ((streams / proxies) * kbPerStream) / 1_000) / 1_000;
  const renewalsPerSecond = streams / renewalSeconds;
  // A renewal is a call of a script for one request, as a draw for one charge is.
  const renewalUs = curvesOf(figures).redis.at(busyMax);
  return {
    ...{ streams, chunksPerSecond: chunks, cores, proxies, renewalsPerSecond },
    gigabytesEach: gigabytes(memory.kbPerStream),
    gigabytesEachLong: gigabytes(memory.kbPerLongStream),
    redisBusy: (renewalsPerSecond * renewalUs) / 1e6,
  };
}
