/** The limits of a key as they are stored, and as a caller changes them. */
import type { apiKeys } from '../../shared/tables/api-keys.ts';

type KeyRow = typeof apiKeys.$inferSelect;

/** Null means no limit of the key's own. A column that is absent stays as it is. */
export type KeyLimitColumns = Partial<
  Pick<
    KeyRow,
    | 'allowedModels'
    | 'spendLimitDayNano'
    | 'spendLimitMonthNano'
    | 'spendLimitTotalNano'
    | 'requestsPerMinute'
    | 'tokensPerMinute'
    | 'concurrentStreams'
  >
>;
