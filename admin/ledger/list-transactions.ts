/** What happened to an account's balance, newest first. Only the customer's side of the ledger, never the gateway's. */
import { and, eq, gte, lt, sql } from 'drizzle-orm';
import { ledgerLines } from '../../shared/tables/ledger.ts';
import type { DbOrTransaction } from '../database/connect.ts';

export type LedgerLine = typeof ledgerLines.$inferSelect;

export interface TransactionFilter {
  readonly accountId: number;
  readonly type: LedgerLine['type'] | undefined;
  /** Inclusive. */
  readonly from: Date | undefined;
  /** Exclusive, so that consecutive ranges neither overlap nor leave gaps. */
  readonly to: Date | undefined;
  readonly limit: number;
  readonly offset: number;
}

/**
 * The id decides between lines of one moment, so that pages never overlap. The order is spelled out as the index has it:
 * Postgres does not use an index for another place of nulls, even where there are none.
 */
export function listTransactions(db: DbOrTransaction, filter: TransactionFilter): Promise<LedgerLine[]> {
  const { accountId, type, from, to, limit, offset } = filter;
  return db
    .select()
    .from(ledgerLines)
    .where(
      and(
        eq(ledgerLines.accountId, accountId),
        eq(ledgerLines.book, 'wallet'),
        type && eq(ledgerLines.type, type),
        from && gte(ledgerLines.createdAt, from),
        to && lt(ledgerLines.createdAt, to),
      ),
    )
    .orderBy(sql`${ledgerLines.createdAt} desc nulls last`, sql`${ledgerLines.id} desc nulls last`)
    .limit(limit)
    .offset(offset);
}
