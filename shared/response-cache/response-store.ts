/**
 * Responses that are stored in Redis for exact repetitions, within a bound of memory. It knows nothing of what is in them: they
 * are encrypted before they come here.
 */
import type { RedisClient } from '../redis/connect.ts';
import { type CachePlace, cachePartitions, keysOfPartition, ownPrefix, responsePrefix } from './cache-keys.ts';
import removeResponses from './remove-responses.lua' with { type: 'text' };
import storeResponse from './store-response.lua' with { type: 'text' };

/** What Redis needs for one besides its bytes: keys, names and scores. Measured by test/shared/response-cache/memory.test.ts. */
const overheadBytes = 1_024;
const removedAtOnce = 500;
const storeSha = new Bun.CryptoHasher('sha1').update(storeResponse).digest('hex');

export interface WrittenResponse extends CachePlace {
  readonly bytes: Buffer;
  readonly lifetimeMs: number;
}

export class ResponseStore {
  readonly #redis: RedisClient;

  constructor(redis: RedisClient) {
    this.#redis = redis;
  }

  /** Null if there is none. */
  read({ partition, name }: CachePlace): Promise<Buffer | null> {
    return this.#redis.getBuffer(responsePrefix(partition) + name);
  }

  /** False if there is no room for it. `maxBytes` is for the responses of all organizations. */
  async write({ partition, name, bytes, lifetimeMs }: WrittenResponse, maxBytes: number): Promise<boolean> {
    const { ages, ends, sizes } = keysOfPartition(partition);
    const prefix = responsePrefix(partition);
    const most = Math.floor(maxBytes / cachePartitions);
    const keys = [ages, ends, sizes, prefix + name];
    const given = [name, bytes, lifetimeMs, most, overheadBytes, prefix];
    return (await this.#runStore([...keys, ...given], keys.length)) === 'STORED';
  }

  /** By its SHA-1; a Redis that does not have it gets the source. */
  async #runStore(keysAndValues: (string | number | Buffer)[], keyCount: number): Promise<unknown> {
    try {
      return await this.#redis.evalsha(storeSha, keyCount, ...keysAndValues);
    } catch (error) {
      if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error;
      return this.#redis.eval(storeResponse, keyCount, ...keysAndValues);
    }
  }

  /** Removes all that are stored for an organization. Returns how many there were. */
  async removeOf(accountId: number): Promise<number> {
    let count = 0;
    for (let partition = 0; partition < cachePartitions; partition += 1) {
      const { ages, ends, sizes } = keysOfPartition(partition);
      let cursor = '0';
      do {
        const [next, found] = await this.#redis.zscan(
          ages,
          cursor,
          'MATCH',
          `${ownPrefix(accountId)}*`,
          'COUNT',
          removedAtOnce,
        );
        cursor = next;
        const names = found.filter((_, index) => index % 2 === 0);
        if (names.length === 0) continue;
        count += Number(
          await this.#redis.eval(removeResponses, 3, ages, ends, sizes, responsePrefix(partition), ...names),
        );
      } while (cursor !== '0');
    }
    return count;
  }
}
