/** A charge as it is read. Its row has null in some columns where it has what nearly every charge has: that takes no space. */
import { perUnit, type StoredCounts } from '../../../shared/usage/billable-units.ts';
import type { usageEvents } from '../../database/tables/usage.ts';

export type StoredEvent = typeof usageEvents.$inferSelect;

type SparselyStored = 'unchargedNano' | 'variant' | 'estimated';

export type UsageEvent = Omit<StoredEvent, SparselyStored | keyof StoredCounts> &
  StoredCounts & { readonly [Name in SparselyStored]: NonNullable<StoredEvent[Name]> };

export function usageEventOf(stored: StoredEvent): UsageEvent {
  const counts = perUnit(({ name, storesCount }) => stored[name] ?? (storesCount === 'always' ? 0 : null));
  return {
    ...stored,
    // TypeScript does not correlate a name with its own row.
    ...(counts as StoredCounts),
    unchargedNano: stored.unchargedNano ?? 0n,
    variant: stored.variant ?? '',
    estimated: stored.estimated ?? false,
  };
}
