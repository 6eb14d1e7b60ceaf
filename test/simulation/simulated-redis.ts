/**
 * A real Redis under a virtual clock, and the faults of the way to it: requests that are lost, replies that are lost,
 * requests that arrive late, and a Redis that forgets its last writes or everything.
 */
import type { Redis } from 'ioredis';
import type { ScriptTransform } from '../../shared/wallet/script.ts';
import type { WalletRedis } from '../../shared/wallet/wallet.ts';
import { underClock } from '../harness/script-clock.ts';
import type { World } from './world.ts';

const clockKey = 'simulation:clock';

/** Scripts read the virtual clock instead of Redis' own, and ask for a missing wallet as often as they like. */
export const underVirtualClock: ScriptTransform = (source) =>
  underClock(clockKey)(source).replace("'1', 'NX', 'PX', 1000)", "'1')");

export class SimulatedRedis {
  /** Changes when another Redis answers. */
  identity = 'redis-1';
  readonly #redis: Redis;
  #copy = new Map<string, Buffer>();
  #incarnations = 1;

  constructor(redis: Redis) {
    this.#redis = redis;
  }

  async begin(nowMs: number): Promise<void> {
    await this.#redis.flushdb();
    await this.setClock(nowMs);
    await this.copy();
  }

  async setClock(nowMs: number): Promise<void> {
    await this.#redis.set(clockKey, String(nowMs));
  }

  /** What a replica would have at this moment. */
  async copy(): Promise<void> {
    const keys = (await this.#redis.keys('*')).filter((key) => key !== clockKey);
    const dumps = await Promise.all(keys.map((key) => this.#redis.dumpBuffer(key)));
    this.#copy = new Map(keys.flatMap((key, index) => (dumps[index] ? [[key, dumps[index]]] : [])));
  }

  /** Forgets everything since the last copy. */
  async failOver(): Promise<void> {
    await this.#clear();
    await Promise.all([...this.#copy].map(([key, dump]) => this.#redis.restore(key, 0, dump)));
    this.#answerAsAnother();
  }

  async loseEverything(): Promise<void> {
    await this.#clear();
    this.#copy = new Map();
    this.#answerAsAnother();
  }

  /** Comes back with everything it had. */
  restart(): void {
    this.#answerAsAnother();
  }

  async #clear(): Promise<void> {
    const keys = (await this.#redis.keys('*')).filter((key) => key !== clockKey);
    if (keys.length > 0) await this.#redis.del(...keys);
  }

  #answerAsAnother(): void {
    this.#incarnations += 1;
    this.identity = `redis-${this.#incarnations}`;
  }
}

/** A proxy's connection. */
export class FaultyConnection implements WalletRedis {
  /** Nothing gets through. */
  cutOff = false;
  readonly #redis: Redis;
  readonly #world: World;

  constructor(redis: Redis, world: World) {
    this.#redis = redis;
    this.#world = world;
  }

  evalsha(sha: string, keyCount: number, ...rest: string[]): Promise<unknown> {
    return this.#send(() => this.#redis.evalsha(sha, keyCount, ...rest));
  }

  eval(source: string, keyCount: number, ...rest: string[]): Promise<unknown> {
    // Only ever the repetition of a call that Redis did not know the script of: it has met its fate already.
    return this.#redis.eval(source, keyCount, ...rest);
  }

  xrange(key: string, start: string, end: string, count: 'COUNT', limit: number): Promise<[string, string[]][]> {
    return this.#send(() => this.#redis.xrange(key, start, end, count, limit));
  }

  async #send<Reply>(call: () => Promise<Reply>): Promise<Reply> {
    if (this.cutOff) throw new Error('cut off');
    const { random, faults, later } = this.#world;
    if (!this.#world.faulty || !random.chance(faultShare)) return call();
    const fault = random.weighted({ 'lost request': 1, 'lost reply': 2, 'late request': 2 });
    faults.count(fault);
    if (fault === 'lost reply') await call();
    if (fault === 'late request') later.push(() => call().catch(() => undefined));
    throw new Error(fault);
  }
}

const faultShare = 0.06;
