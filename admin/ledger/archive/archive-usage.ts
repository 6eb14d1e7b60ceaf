/** Archives the charges of all sealed months that are old enough, oldest first; one run at a time. */
import type { Sql } from 'postgres';
import { whileLocked } from '../../database/advisory-locks.ts';
import { type LedgerMonth, listMonths } from '../months.ts';
import { readOpenMonths } from '../seals/open-months.ts';
import { type ArchivedMonth, type ArchiveWork, archiveMonth } from './archive-month.ts';

export interface ArchiveOptions extends Omit<ArchiveWork, 'sql'> {
  /** A month is archived once this many whole months have passed after it. */
  readonly months: number;
  readonly now?: Date;
}

/** Charges of requests that run at the end of a month, and their corrections, are booked in the next. */
export const monthsMin = 2;

/** Undefined if another run is working. */
export async function archiveUsage(sql: Sql, options: ArchiveOptions): Promise<ArchivedMonth[] | undefined> {
  const { months, now = new Date(), ...work } = options;
  if (!(months >= monthsMin)) throw new RangeError(`at least ${monthsMin} months are kept`);
  return whileLocked(sql, 'archive', async () => {
    const archived: ArchivedMonth[] = [];
    const before = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - months));
    for (const month of await findMonths(sql, before)) {
      archived.push(await archiveMonth({ sql, ...work }, month));
    }
    return archived;
  });
}

/**
 * The months before, whose partitions are there. What is not sealed could still change, and a journal may have lines of two months:
 * when it is added up, both are open or both are sealed.
 */
async function findMonths(sql: Sql, before: Date): Promise<LedgerMonth[]> {
  const { sealed = '' } = await readOpenMonths(sql);
  const months = await listMonths(sql, ['usage_requests']);
  return months.filter(({ month, end }) => month < sealed && end <= before);
}
