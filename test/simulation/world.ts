/**
 * The world of one run: proxies, admin, Redis and a ledger, with a virtual clock.
 */
import type { Redis } from 'ioredis';
import { planPostings } from '../../admin/ledger/charges/plan-postings.ts';
import type { WalletScripts } from '../../shared/wallet/wallet-scripts.ts';
import { SeededRandom } from '../harness/seeded-random.ts';
import { Checks } from './checks.ts';
import { Counter } from './counter.ts';
import { type Mutant, planWithoutRank } from './mutants.ts';
import { type Profile, type ProfileName, profiles, weightsOf } from './profiles.ts';
import { ModelLedger } from './simulated/model-ledger.ts';
import { SimulatedAdmin } from './simulated/simulated-admin.ts';
import { SimulatedKeys } from './simulated/simulated-keys.ts';
import { SimulatedProxy } from './simulated/simulated-proxy.ts';
import { FaultyConnection, SimulatedRedis } from './simulated/simulated-redis.ts';
import type { Surroundings } from './simulated/surroundings.ts';
import type { RequestOwner, TrueRequest } from './simulated/true-request.ts';

export interface RunResult {
  readonly seed: number;
  readonly requests: number;
  readonly faults: Counter;
  readonly violations: readonly string[];
  readonly lowestNano: bigint;
  readonly lowestAfterLossNano: bigint;
  /** What no wallet could cover, by reason. */
  readonly uncharged: ReadonlyMap<string, bigint>;
}

const startMs = 1_790_000_000_000;
/** Two accounts share a shard. */
const accountIds = [1, 65, 2];
const proxyCount = 3;

export interface WorldOptions {
  readonly profile: ProfileName;
  readonly mutant?: Mutant | undefined;
}

export class World implements Surroundings {
  readonly random: SeededRandom;
  readonly mutant: Mutant | undefined;
  readonly profile: Profile;
  readonly weights: ReturnType<typeof weightsOf>;
  readonly faults = new Counter();
  readonly keys: SimulatedKeys;
  readonly ledger: ModelLedger;
  readonly redis: SimulatedRedis;
  readonly checks: Checks;
  readonly admin: SimulatedAdmin;
  readonly proxies: SimulatedProxy[] = [];
  /** Proxies that were killed. */
  readonly dead = new Set<RequestOwner>();
  readonly requests: TrueRequest[] = [];
  /** Accounts whose key was deactivated by a call that has returned. */
  readonly takenAway = new Set<number>();
  /** By the name of a scope: requests that were not booked yet when it got a budget. */
  readonly unjudged = new Map<string, readonly TrueRequest[]>();
  /** Requests that are still on their way to Redis. */
  readonly later: (() => Promise<unknown>)[] = [];
  readonly uncharged = new Map<string, bigint>();
  /** By the wall clock. */
  nowMs = startMs;
  /** By the monotonic clock. */
  elapsedMs = 0;
  faulty = true;
  postgresDown = false;
  redisLostWrites = false;
  readonly #redis: Redis;
  readonly #scripts: WalletScripts;
  #requestCount = 0;

  /**
   * The scripts are loaded in advance, so that no call is exposed to faults twice because Redis asks for the source.
   */
  constructor(
    redis: Redis,
    scripts: WalletScripts,
    readonly seed: number,
    { profile, mutant }: WorldOptions,
  ) {
    this.mutant = mutant;
    this.profile = profiles[profile];
    this.#redis = redis;
    this.random = new SeededRandom(seed);
    this.weights = weightsOf(profile, seed);
    const { startsAt = [startMs] } = this.profile;
    this.nowMs = startsAt[seed % startsAt.length] ?? startMs;
    this.keys = new SimulatedKeys(accountIds, { keysEach: this.profile.hasBudgets === true ? 2 : 1 });
    this.ledger = new ModelLedger(mutant === 'no rank' ? planWithoutRank : planPostings, this.keys);
    for (const accountId of accountIds) this.ledger.open(accountId);
    this.redis = new SimulatedRedis(redis);
    this.checks = new Checks(this, redis);
    this.#scripts = scripts;
    this.admin = new SimulatedAdmin(this, redis, this.#scripts);
  }

  async begin(): Promise<void> {
    await this.redis.begin(this.nowMs);
    await this.admin.begin();
    for (const accountId of accountIds)
      await this.admin.credit(accountId, BigInt(this.random.integer(2, this.profile.creditMax)) * 100n);
    for (let count = 0; count < proxyCount; count += 1) this.startProxy();
  }

  result(): RunResult {
    return {
      seed: this.seed,
      requests: this.requests.length,
      faults: this.faults,
      violations: this.checks.violations,
      lowestNano: this.checks.lowestNano,
      lowestAfterLossNano: this.checks.lowestAfterLossNano,
      uncharged: this.uncharged,
    };
  }

  startProxy(): void {
    this.proxies.push(new SimulatedProxy(this, new FaultyConnection(this.#redis, this), this.#scripts));
  }

  /** SIGKILL; another proxy replaces it. */
  kill(proxy: SimulatedProxy): void {
    proxy.die();
    this.dead.add(proxy);
    this.proxies.splice(this.proxies.indexOf(proxy), 1);
    this.startProxy();
  }

  nextRequestId(): string {
    this.#requestCount += 1;
    return `00000000-0000-7000-8000-${String(this.#requestCount).padStart(12, '0')}`;
  }

  async advance(milliseconds: number): Promise<void> {
    this.nowMs += milliseconds;
    this.elapsedMs += Math.max(0, milliseconds);
    await this.redis.setClock(this.nowMs);
  }

  /** Messages on their way arrive. */
  async deliverLate(): Promise<void> {
    for (const call of this.later.splice(0)) await call();
  }

  countUncharged(request: TrueRequest, nano: bigint): void {
    const reason = request.overruns ? 'the provider ignored its cap' : 'the hold was lost, or expired while cut off';
    this.uncharged.set(reason, (this.uncharged.get(reason) ?? 0n) + nano);
  }

  async recoverWithoutDisconnected(): Promise<void> {
    for (let round = 0; round < 3; round += 1) {
      for (const proxy of this.proxies) if (!proxy.connection.cutOff) await proxy.tick();
      while ((await this.admin.apply()) > 0);
      await this.admin.recover();
      await this.advance(3_000);
    }
  }

  /** Everything heals, every request ends, abandoned holds expire, everything is booked. */
  async comeToRest(): Promise<void> {
    this.faulty = false;
    this.postgresDown = false;
    // Proxies that are cut off may come back before or after everything else has recovered.
    if (this.random.chance(0.5)) await this.recoverWithoutDisconnected();
    for (const proxy of this.proxies) proxy.connection.cutOff = false;
    await this.deliverLate();
    for (let round = 0; round < 4; round += 1) {
      for (const proxy of this.proxies) await proxy.tick();
      await this.admin.recover();
      while ((await this.admin.apply()) > 0);
      await this.advance(3_000);
    }
    for (const proxy of this.proxies) {
      for (const request of [...proxy.requests]) await proxy.settle(request);
      await proxy.tick();
    }
    await this.checks.afterStep('every request has ended');
    await this.checks.beforeExpiry();
    await this.advance(200_000 + this.redis.behindMs);
    await this.admin.expire();
    for (const proxy of this.proxies) await proxy.tick();
    while ((await this.admin.apply()) > 0);
    for (const accountId of accountIds) await this.admin.deliverCredits(accountId);
    await this.checks.afterStep('rest');
    await this.checks.atRest();
  }
}
