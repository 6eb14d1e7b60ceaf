/**
 * The ledger as it is read, whichever way its charges were booked: views of drizzle/0036_compact_charges.sql. Whatever reads
 * lines reads these, not the tables; what requests were charged is in the view `charged_requests`, which only SQL reads.
 */
import type { InferSelectViewModel } from 'drizzle-orm';
import { bigint, pgView, text, timestamp, uuid } from 'drizzle-orm/pg-core';
import type { ledgerLines } from './ledger.ts';

const lineColumns = () => ({
  id: bigint({ mode: 'number' }).notNull(),
  journalId: bigint('journal_id', { mode: 'number' }).notNull(),
  book: text({ enum: ['wallet', 'revenue', 'cash'] }).notNull(),
  accountId: bigint('account_id', { mode: 'number' }),
  /** Signed: negative takes from the book. */
  amountNano: bigint('amount_nano', { mode: 'bigint' }).notNull(),
  type: text({ enum: ['usage', 'payment', 'refund'] }).notNull(),
  description: text().notNull(),
  requestId: uuid('request_id'),
  model: text(),
  createdAt: timestamp('created_at', { withTimezone: true }).notNull(),
});

/** Compact charges as lines. */
export const compactLines = pgView('compact_lines', lineColumns()).existing();

/** Every line of every journal: the rows of `ledger_lines`, and each compact charge, which is its own line. */
export const journalLines = pgView('journal_lines', lineColumns()).existing();

export type LedgerLine = InferSelectViewModel<typeof journalLines>;

/** All of them, for a selection from something else that has them. */
export function columnsOfLines(lines: typeof compactLines | typeof journalLines | typeof ledgerLines) {
  const { id, journalId, book, accountId, amountNano, type, description, requestId, model, createdAt } = lines;
  return { id, journalId, book, accountId, amountNano, type, description, requestId, model, createdAt };
}
