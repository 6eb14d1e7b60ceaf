/** What is asked of the usage of an account, and what its sums are. */
import type { NanoUsd } from '../../../../shared/money.ts';
import type { UnitCounts } from '../../../../shared/usage/billable-units.ts';
import type { Dimension } from '../charged-dimensions.ts';

export const usageGroupings = ['day', 'hour', 'model', 'key', 'project', 'member'] as const;
export const assignedGroupings = ['key', 'project', 'member'] as const;
export type UsageGrouping = (typeof usageGroupings)[number];

export interface UsageQuery {
  readonly accountId: number;
  /** Only of the keys that this user has created; undefined for all. */
  readonly keysOf?: number | undefined;
  /** Both at the start of a quarter of an hour. */
  readonly from: Date;
  /** Exclusive. */
  readonly to: Date;
  /** A name that `checkTimeZone` has accepted. */
  readonly timeZone: string;
  readonly groupBy: ReadonlySet<UsageGrouping>;
  /** Also by the values of this one; undefined for none. */
  readonly dimension?: Pick<Dimension, 'id' | 'name'> | undefined;
  readonly rowsMax: number;
}

export interface UsageSum extends UnitCounts {
  /** `2030-01-31`; null if usage is not grouped by day; likewise the others. */
  readonly day: string | null;
  /** The start of an hour of the time zone. */
  readonly hour: Date | null;
  readonly model: string | null;
  readonly keyId: number | null;
  /** Null also for usage in no project. */
  readonly projectId: number | null;
  /** The user whose key it was; null also for a key that a billing key created. */
  readonly memberId: number | null;
  /** Of the dimension; null also for usage without one. */
  readonly value: string | null;
  readonly requests: number;
  readonly costNano: NanoUsd;
}
