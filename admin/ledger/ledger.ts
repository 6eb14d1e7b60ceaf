/** The ledger as it is read: its tables, and the charges of months that have left them. */
import { sql } from 'drizzle-orm';
import type { Db, DbOrTransaction, Transaction } from '../database/connect.ts';
import type { UsageArchive } from './archive/usage-archive.ts';

export interface Ledger {
  readonly db: Db;
  readonly archive: UsageArchive;
  /** Of who reads it, if that may be for long. */
  readonly signal?: AbortSignal | undefined;
}

/** From its pool, or in a transaction. */
export type LedgerRead = Omit<Ledger, 'db'> & { readonly db: DbOrTransaction };

/**
 * Runs the work in one snapshot. The lock comes before the snapshot, and a month leaves its tables under a stronger one: so a charge
 * is either in the tables or in the archive, never in both or in none.
 */
export function readSnapshot<Result>(
  { db }: Pick<Ledger, 'db'>,
  work: (transaction: Transaction) => Promise<Result>,
): Promise<Result> {
  return db.transaction(
    async (transaction) => {
      await transaction.execute(sql`LOCK TABLE usage_events IN ACCESS SHARE MODE`);
      return work(transaction);
    },
    { isolationLevel: 'repeatable read', accessMode: 'read only' },
  );
}
