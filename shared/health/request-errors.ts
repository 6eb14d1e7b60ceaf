/**
 * How many requests of a key failed, by day in UTC and by error code. Proxies count in memory and add to Redis every few
 * seconds, so a proxy that is killed loses what it has not added yet. Nothing about money depends on these counts.
 */
import type { RedisClient } from '../redis/connect.ts';

export interface ErrorCount {
  readonly keyHash: string;
  /** Such as `2030-01-31`. */
  readonly day: string;
  /** As the client was given it, such as `insufficient_balance`. */
  readonly code: string;
  readonly count: number;
}

/** A month, and the one before it. */
const retentionSeconds = 70 * 86_400;

/** One hash for each key and month, so that a customer's keys are read with few commands. */
const hashName = (keyHash: string, day: string) => `errors:${keyHash}:${day.slice(0, 7)}`;

/** Rejects if Redis does not respond; then some may have been added. */
export async function addErrors(redis: RedisClient, counts: readonly ErrorCount[]): Promise<void> {
  const hashes = Map.groupBy(counts, ({ keyHash, day }) => hashName(keyHash, day));
  for (const [name, members] of hashes) {
    await Promise.all(members.map(({ day, code, count }) => redis.hincrby(name, `${day}:${code}`, count)));
    await redis.expire(name, retentionSeconds);
  }
}

/** Of these keys and days, both included, which are not more than two months. In no particular order. */
export async function readErrors(
  redis: RedisClient,
  keyHashes: readonly string[],
  { from, to }: { readonly from: string; readonly to: string },
): Promise<ErrorCount[]> {
  const months = [...new Set([from, to].map((day) => day.slice(0, 7)))];
  const hashes = keyHashes.flatMap((keyHash) => months.map((month) => ({ keyHash, name: hashName(keyHash, month) })));
  const found = await Promise.all(
    hashes.map(async ({ keyHash, name }) => ({ keyHash, fields: Object.entries(await redis.hgetall(name)) })),
  );
  return found.flatMap(({ keyHash, fields }) =>
    fields.flatMap(([field, text]) => {
      const [day = '', code = ''] = field.split(':');
      const count = Number(text);
      return day >= from && day <= to && Number.isSafeInteger(count) ? [{ keyHash, day, code, count }] : [];
    }),
  );
}
