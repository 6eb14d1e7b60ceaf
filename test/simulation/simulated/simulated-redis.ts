/**
 * A real Redis with a virtual clock, and the faults on the way to it: requests that are lost, replies that are lost,
 * requests that arrive late, and a Redis that loses its last writes or everything.
 */
import type { Redis } from 'ioredis';
import type { ScriptTransform } from '../../../shared/wallet/script.ts';
import type { WalletRedis } from '../../../shared/wallet/wallet.ts';
import { underClock } from '../../harness/wallet/script-clock.ts';
import type { Surroundings } from './surroundings.ts';

const clockKey = 'simulation:clock';
const identityKey = 'simulation:identity';

/**
 * Scripts read the virtual clock instead of Redis' own, also for the ids of stream entries; they read the simulated
 * identity; and they request a missing wallet without a rate limit. Throws if the scripts no longer contain the code
 * that is replaced.
 */
export const underSimulation: ScriptTransform = (source) => {
  if (source.includes('XADD') && !source.includes(realEntry)) throw new Error('usage is appended in another way');
  if (source.includes("'INFO'") && !source.includes(realIdentity)) throw new Error('run ids are read in another way');
  return underClock(clockKey)(source)
    .replace(realEntry, virtualEntry)
    .replace(realIdentity, `redis.call('GET', '${identityKey}')`)
    .replace("'1', 'NX', 'PX', 1000)", "'1')");
};

const realIdentity = "string.match(redis.call('INFO', 'server'), 'run_id:(%w+)')";
const realEntry = "  return redis.call('XADD', tag .. ':usage', '*', unpack(fields))\n";
/** As Redis does it: with a clock that was set back, the ids continue from the newest one. */
const virtualEntry = `
  local key = tag .. ':usage'
  local id = redis.pcall('XADD', key, redis.call('GET', '${clockKey}') .. '-*', unpack(fields))
  if type(id) ~= 'table' then return id end
  local newest = redis.call('XINFO', 'STREAM', key)[8]
  return redis.call('XADD', key, string.match(newest, '^%d+') .. '-*', unpack(fields))
`;

export class SimulatedRedis {
  /** Changes when another Redis takes over. */
  identity = 'redis-1';
  readonly #redis: Redis;
  /** How far its clock is ahead of all others; negative if it is behind. */
  #aheadMs = 0;
  #mostAheadMs = 0;
  #nowMs = 0;
  #copy = new Map<string, Buffer>();
  #incarnations = 1;

  constructor(redis: Redis) {
    this.#redis = redis;
  }

  async begin(nowMs: number): Promise<void> {
    await this.#redis.flushdb();
    await this.setClock(nowMs);
    await this.#redis.set(identityKey, this.identity);
    await this.copy();
  }

  async setClock(nowMs: number): Promise<void> {
    this.#nowMs = nowMs;
    await this.#redis.set(clockKey, String(nowMs + this.#aheadMs));
  }

  /** How far its clock is behind its own maximum. */
  get behindMs(): number {
    return this.#mostAheadMs - this.#aheadMs;
  }

  async moveClock(milliseconds: number): Promise<void> {
    this.#aheadMs += milliseconds;
    this.#mostAheadMs = Math.max(this.#mostAheadMs, this.#aheadMs);
    await this.setClock(this.#nowMs);
  }

  /** What a replica would have at this moment. */
  async copy(): Promise<void> {
    const keys = await this.#keys();
    const dumps = await Promise.all(keys.map((key) => this.#redis.dumpBuffer(key)));
    this.#copy = new Map(keys.flatMap((key, index) => (dumps[index] ? [[key, dumps[index]]] : [])));
  }

  /** Forgets everything since the last copy. */
  async failOver(): Promise<void> {
    await this.#clear();
    await Promise.all([...this.#copy].map(([key, dump]) => this.#redis.restore(key, 0, dump)));
    await this.#respondAsAnother();
  }

  async loseEverything(): Promise<void> {
    await this.#clear();
    this.#copy = new Map();
    await this.#respondAsAnother();
  }

  /** Restarts with all its data. */
  restart(): Promise<void> {
    return this.#respondAsAnother();
  }

  async #clear(): Promise<void> {
    const keys = await this.#keys();
    if (keys.length > 0) await this.#redis.del(...keys);
  }

  /** Of the gateway's data. */
  #keys(): Promise<string[]> {
    return this.#redis.keys('{*');
  }

  async #respondAsAnother(): Promise<void> {
    this.#incarnations += 1;
    this.identity = `redis-${this.#incarnations}`;
    await this.#redis.set(identityKey, this.identity);
  }
}

type Fault = 'lost request' | 'lost reply' | 'late request';

/** A proxy's connection. */
export class FaultyConnection implements WalletRedis {
  /** Nothing gets through. */
  cutOff = false;
  /** The faults of the next calls, in order; then chance decides again. */
  readonly nextFaults: (Fault | 'none')[] = [];
  readonly #redis: Redis;
  readonly #world: Surroundings;

  constructor(redis: Redis, world: Surroundings) {
    this.#redis = redis;
    this.#world = world;
  }

  evalsha(sha: string, keyCount: number, ...rest: string[]): Promise<unknown> {
    return this.#send(() => this.#redis.evalsha(sha, keyCount, ...rest));
  }

  eval(): Promise<unknown> {
    throw new Error('every script was loaded');
  }

  xrange(key: string, start: string, end: string, count: 'COUNT', limit: number): Promise<[string, string[]][]> {
    return this.#send(() => this.#redis.xrange(key, start, end, count, limit));
  }

  /** Whether a message to the proxy arrives. */
  delivers(): boolean {
    return this.#drawFault() === 'none';
  }

  async #send<Reply>(call: () => Promise<Reply>): Promise<Reply> {
    if (this.cutOff) throw new Error('cut off');
    const { faults, later } = this.#world;
    const fault = this.nextFaults.shift() ?? this.#drawFault();
    if (fault === 'none') return call();
    faults.count(fault);
    if (fault === 'lost reply') await call();
    if (fault === 'late request') later.push(() => call().catch(() => undefined));
    throw new Error(fault);
  }

  #drawFault(): Fault | 'none' {
    const { random, faulty, profile } = this.#world;
    if (!faulty || !random.chance(profile.faultShare)) return 'none';
    return random.weighted({ 'lost request': 1, 'lost reply': 2, 'late request': 2 });
  }
}
