/** The limits of a key, as stored and as callers change them. */
import type { apiKeys } from '../database/tables/api-keys.ts';

type KeyRow = typeof apiKeys.$inferSelect;

const limitColumns = [
  'allowedModels',
  'spendLimitDayNano',
  'spendLimitMonthNano',
  'spendLimitTotalNano',
  'requestsPerMinute',
  'tokensPerMinute',
  'concurrentStreams',
] as const satisfies readonly (keyof KeyRow)[];

/** Null means that the key has no limit of its own. An absent column stays as it is. */
export type KeyLimitColumns = Partial<Pick<KeyRow, (typeof limitColumns)[number]>>;

/** The limits of one key, to copy them to another. */
export function limitsOf(key: KeyRow): KeyLimitColumns {
  return Object.fromEntries(limitColumns.map((column) => [column, key[column]]));
}
