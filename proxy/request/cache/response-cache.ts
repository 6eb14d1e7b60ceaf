/**
 * The responses that are stored for exact repetitions. Whatever is wrong with one, or with Redis, is a miss: the request is then
 * an ordinary one. Nothing is stored in a client's way.
 */
import type { ProxyConfig } from '../../../shared/config/proxy.ts';
import { monotonicMs } from '../../../shared/durations.ts';
import type { Log } from '../../../shared/log.ts';
import { canSend } from '../../../shared/redis/can-send.ts';
import type { RedisClient } from '../../../shared/redis/connect.ts';
import { ResponseStore } from '../../../shared/response-cache/response-store.ts';
import type { CacheUse } from './cache-use.ts';
import { OrganizationKeys } from './organization-keys.ts';
import { type CachedResponse, decodeCached, encodeCached, storedMaxCharacters } from './stored-form.ts';

/** The part of a command's time that a request waits here at most, and for how long none waits after one has waited in vain. */
const patienceShare = 0.05;
const restMs = 1_000;
/** How many responses are being stored at once; what comes beyond is not stored. */
const writesMax = 32;
/** From here on, what is left of Redis's memory is for money. */
const memoryShareMax = 0.8;

interface ResponseCacheOptions {
  readonly redis: RedisClient;
  readonly config: Pick<ProxyConfig, 'keyPeppers' | 'cacheMaxBytes' | 'redisCommandTimeoutMs'>;
  readonly log: Log;
  memoryShare(): number;
}

export class ResponseCache {
  /** `unavailable`: Redis did not reply in time, which is a miss too. */
  readonly lookups = { hit: 0, miss: 0, unavailable: 0 };
  /** `refused`: it had not ended well, was too large, or there was no room for it. */
  readonly writes = { stored: 0, refused: 0 };
  readonly organizations: OrganizationKeys;
  readonly #options: ResponseCacheOptions;
  readonly #store: ResponseStore;
  #restsUntilMs = 0;
  #writing = 0;

  constructor(options: ResponseCacheOptions) {
    this.#options = options;
    this.#store = new ResponseStore(options.redis);
    this.organizations = new OrganizationKeys(options.config);
  }

  /** False if there is no memory for responses. */
  get isOn(): boolean {
    return this.#options.config.cacheMaxBytes > 0;
  }

  /** Undefined if there is none that may still be given. */
  async find({ place, keys, lifetimeMs }: CacheUse): Promise<CachedResponse | undefined> {
    const bytes = await this.#read(place);
    if (bytes === undefined) return undefined;
    const response = decodeCached(keys, place.name, bytes);
    if (response === undefined || Date.now() - response.storedAtMs >= lifetimeMs) return undefined;
    return response;
  }

  /** Once its client has it. `complete` returns undefined for one that is not to be given again. */
  keep(use: CacheUse, complete: () => CachedResponse | undefined): void {
    if (this.#writing >= writesMax) {
      this.writes.refused += 1;
      return;
    }
    this.#writing += 1;
    setImmediate(() => {
      void this.#write(use, complete).finally(() => {
        this.#writing -= 1;
      });
    });
  }

  async #read(place: CacheUse['place']): Promise<Buffer | undefined> {
    const { redis, config, log } = this.#options;
    if (monotonicMs() < this.#restsUntilMs || !canSend(redis)) {
      this.lookups.unavailable += 1;
      return undefined;
    }
    let timer: Timer | undefined;
    const tooLate = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error('Redis takes too long')), config.redisCommandTimeoutMs * patienceShare);
    });
    try {
      return (await Promise.race([this.#store.read(place), tooLate])) ?? undefined;
    } catch (error) {
      this.#restsUntilMs = monotonicMs() + restMs;
      this.lookups.unavailable += 1;
      log.debug({ err: error }, 'stored responses are not looked at');
      return undefined;
    } finally {
      clearTimeout(timer);
    }
  }

  async #write(use: CacheUse, complete: () => CachedResponse | undefined): Promise<void> {
    let isStored = false;
    try {
      const response = complete();
      if (response !== undefined) isStored = await this.#writeResponse(use, response);
    } catch (error) {
      this.#options.log.debug({ err: error }, 'a response was not stored');
    }
    this.writes[isStored ? 'stored' : 'refused'] += 1;
  }

  async #writeResponse({ place, keys, lifetimeMs }: CacheUse, response: CachedResponse): Promise<boolean> {
    const { redis, config, memoryShare } = this.#options;
    const { text, ending } = response;
    if (text.length + ending.length > storedMaxCharacters) return false;
    if (!canSend(redis) || memoryShare() >= memoryShareMax) return false;
    const bytes = encodeCached(keys, place.name, response);
    return this.#store.write({ ...place, bytes, lifetimeMs }, config.cacheMaxBytes);
  }
}
