/** The limits of a key as they are stored, and as a caller changes them. */
import type { apiKeys } from '../../shared/tables/api-keys.ts';

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

/** Null means no limit of the key's own. A column that is absent stays as it is. */
export type KeyLimitColumns = Partial<Pick<KeyRow, (typeof limitColumns)[number]>>;

/** The limits of one key, to give another one the same. */
export function limitsOf(key: KeyRow): KeyLimitColumns {
  return Object.fromEntries(limitColumns.map((column) => [column, key[column]]));
}
