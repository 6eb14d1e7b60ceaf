/**
 * Where an account's wallet lives: one of 64 shards, fixed for ever. All Redis keys of a shard carry its hash tag, so
 * every script touches one cluster slot and the cluster spreads the accounts.
 */

export const shardCount = 64;

/** A number from 0 to 63. */
export type Shard = number & { readonly __shard: true };

export const allShards: readonly Shard[] = Array.from({ length: shardCount }, (_, index) => index as Shard);

export function shardOfAccount(accountId: number): Shard {
  return (accountId % shardCount) as Shard;
}

/** The two characters that name the shard inside an API key: `07`. */
export function shardName(shard: Shard): string {
  return String(shard).padStart(2, '0');
}

/** Undefined if the two characters name no shard. */
export function parseShardName(name: string): Shard | undefined {
  if (!/^\d\d$/.test(name)) return undefined;
  const number = Number(name);
  return number < shardCount ? (number as Shard) : undefined;
}
