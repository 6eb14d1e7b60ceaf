/**
 * Money that arrived at the seller's bank account, as uploaded statements say. A line is the same line in every statement
 * that has it, so uploading a statement again adds nothing.
 */
import { sql } from 'drizzle-orm';
import { bigint, check, date, index, pgTable, text, timestamp, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import { payments } from './payments.ts';

export const bankLines = pgTable(
  'bank_lines',
  {
    id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    /** The day on which the bank booked it. */
    bankDate: date('bank_date', { mode: 'string' }).notNull(),
    /** The payer's number of the transfer. */
    number: text().notNull(),
    amountKopecks: bigint('amount_kopecks', { mode: 'bigint' }).notNull(),
    payerAccount: text('payer_account').notNull(),
    payerInn: text('payer_inn').notNull(),
    payerName: text('payer_name').notNull(),
    purpose: text().notNull(),
    /** The payment that it has confirmed. */
    paymentId: uuid('payment_id').references(() => payments.id),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
  },
  (table) => [
    uniqueIndex('bank_lines_identity').on(table.bankDate, table.number, table.payerAccount, table.amountKopecks),
    uniqueIndex('bank_lines_payment').on(table.paymentId),
    index('bank_lines_open').on(table.id).where(sql`${table.paymentId} IS NULL`),
    check('bank_line_amount', sql`${table.amountKopecks} > 0`),
  ],
);
