/** The limits of a key, as stored and as callers change them. */
import { rateLimits } from '../../shared/limits/rate-limits.ts';
import { spendLimits } from '../../shared/limits/spend-limits.ts';
import type { apiKeys } from '../database/tables/api-keys.ts';

type KeyRow = typeof apiKeys.$inferSelect;

const limitColumns = [
  'allowedModels',
  'allowedIps',
  'dataPolicy',
  'cacheSeconds',
  ...spendLimits.map(({ property }) => property),
  ...rateLimits.map(({ name }) => name),
] as const satisfies readonly (keyof KeyRow)[];

/** Null means that the key has no limit of its own. An absent column stays as it is. */
export type KeyLimitColumns = Partial<Pick<KeyRow, (typeof limitColumns)[number]>>;

/** The limits of one key, to copy them to another. */
export function limitsOf(key: KeyRow): KeyLimitColumns {
  return Object.fromEntries(limitColumns.map((column) => [column, key[column]]));
}
