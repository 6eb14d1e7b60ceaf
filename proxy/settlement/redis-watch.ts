/**
 * Looks at Redis once a second: tells when another Redis, or a restarted one, answers, so that decisions are sent
 * again and holds renewed; and when its memory runs short, so that no new request begins while running ones can still
 * settle.
 */
import type { Log } from '../../shared/log.ts';
import type { RedisClient } from '../../shared/redis/connect.ts';
import { readServerState } from '../../shared/redis/server-state.ts';

const intervalMs = 1_000;
const memoryWarningShare = 0.7;
const memoryRefusalShare = 0.9;

export class RedisWatch {
  readonly #redis: RedisClient;
  readonly #log: Log;
  readonly #onNewRedis: () => void;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Of the Redis that was looked at last, and of the one that is connected now. */
  #lastIdentity: string | undefined;
  #identity: string | undefined;
  #memoryShare = 0;
  #stopped = false;

  constructor(options: { redis: RedisClient; log: Log; onNewRedis: () => void }) {
    this.#redis = options.redis;
    this.#log = options.log;
    this.#onNewRedis = options.onNewRedis;
  }

  /** Of the Redis that is connected; undefined until it has been asked. */
  get identity(): string | undefined {
    return this.#identity;
  }

  /** Part of Redis' memory limit that is in use. */
  get memoryShare(): number {
    return this.#memoryShare;
  }

  /** No new request may begin. */
  get memoryShort(): boolean {
    return this.#memoryShare >= memoryRefusalShare;
  }

  start(): void {
    const look = async () => {
      await this.look().catch((error: unknown) => this.#log.debug({ err: error }, 'Redis not looked at'));
      if (!this.#stopped) this.#timer = setTimeout(look, intervalMs);
    };
    void look();
    this.#redis.on('ready', this.#onConnected);
  }

  /** Whoever answers on a new connection is a stranger until asked. */
  readonly #onConnected = () => {
    this.#identity = undefined;
    this.look().catch((error: unknown) => this.#log.debug({ err: error }, 'Redis not looked at'));
  };

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
    this.#redis.off('ready', this.#onConnected);
  }

  /** One look. Rejects while Redis is away. */
  async look(): Promise<void> {
    const { identity, memoryShare } = await readServerState(this.#redis);
    if (memoryShare >= memoryWarningShare && this.#memoryShare < memoryWarningShare) {
      this.#log.warn({ memoryShare }, 'Redis is running out of memory; is admin booking the usage stream?');
    }
    this.#memoryShare = memoryShare;
    const known = this.#lastIdentity;
    this.#lastIdentity = identity;
    this.#identity = identity;
    if (known === undefined || known === identity) return;
    this.#log.warn({ identity }, 'another Redis answers, or it was restarted: charges are sent again, holds renewed');
    this.#onNewRedis();
  }
}
