/**
 * Charges outside of their table. A row has the columns of `usage_events` by their names in the database, in values that JSON
 * keeps exactly: large numbers are texts, and times are in ISO 8601.
 */
import { getTableColumns } from 'drizzle-orm';
import { usageEvents } from '../../database/tables/usage.ts';
import { type StoredEvent, type UsageEvent, usageEventOf } from '../queries/usage-event.ts';

export type StoredRow = Readonly<Record<string, unknown>>;

const columns = Object.entries(getTableColumns(usageEvents));

/** A column that was added after the row was archived has its default. */
export function eventOfRow(row: StoredRow): UsageEvent {
  const members = columns.map(([name, column]) => {
    const stored = row[column.name];
    if (stored === undefined) return [name, column.default ?? null];
    return [name, stored === null ? null : column.mapFromDriverValue(stored)];
  });
  return usageEventOf(Object.fromEntries(members) as StoredEvent);
}
