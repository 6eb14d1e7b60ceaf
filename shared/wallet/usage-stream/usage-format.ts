/**
 * What entries of the usage stream may look like. Proxies write only what every running admin can read, and admins know of
 * one another by their connections to Postgres: each publishes what the oldest of them reads.
 */
import type { RedisClient } from '../../redis/connect.ts';

/** `single`: one charge in each entry, as in the releases before leases. `packed`: entries with many charges too. */
export const usageFormats = { single: 0, packed: 1 } as const;
/** What this version reads. */
export const usageFormat = usageFormats.packed;

/** By then every proxy has heard of a change, and writes nothing else any more. */
export const usageFormatHeardMs = 1_000;

const formatKey = 'gateway:usage-format';
/** Proxies may go on for so long while no admin runs. */
const keptSeconds = 60;

export async function publishUsageFormat(redis: RedisClient, format: number): Promise<void> {
  await redis.set(formatKey, String(format), 'EX', keptSeconds);
}

export async function readUsageFormat(redis: RedisClient): Promise<number> {
  return Number((await redis.get(formatKey)) ?? usageFormats.single);
}
