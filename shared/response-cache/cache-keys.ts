/**
 * The names of the keys that stored responses have in Redis. They are spread over partitions by the digest of their request, so
 * an organization may use all the memory there is for them, and a script touches one slot of a cluster.
 */

export const cachePartitions = 16;

export const cacheLifetimeMaxSeconds = 86_400;

/** Of one stored response. */
export interface CachePlace {
  readonly partition: number;
  /** The organization's account, and the digest of the request among its requests: `17:oQ0…`. */
  readonly name: string;
}

export function placeOf(accountId: number, digest: Uint8Array): CachePlace {
  const name = `${ownPrefix(accountId)}${Buffer.from(digest).toString('base64url')}`;
  return { partition: (digest[0] ?? 0) % cachePartitions, name };
}

/** What the names of all responses of an organization begin with. */
export const ownPrefix = (accountId: number): string => `${accountId}:`;

/** What the keys of a partition's responses begin with; their names follow. */
export const responsePrefix = (partition: number): string => `{c${partition}}:response:`;

export interface PartitionKeys {
  /** Sorted set of names, by the time at which they were stored. */
  readonly ages: string;
  /** Sorted set of names, by the time at which they expire. */
  readonly ends: string;
  /** Hash: name → the bytes that it counts for; under the empty name, those of all. */
  readonly sizes: string;
}

export function keysOfPartition(partition: number): PartitionKeys {
  const tag = `{c${partition}}`;
  return { ages: `${tag}:ages`, ends: `${tag}:ends`, sizes: `${tag}:sizes` };
}
