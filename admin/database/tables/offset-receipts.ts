/**
 * Receipts of 54-ФЗ that offset an advance: what usage of a month took from a payment, in roubles. Written before the
 * provider is asked, one for each payment and month, so that a killed admin's receipt is continued and none is made twice.
 */
import { sql } from 'drizzle-orm';
import { bigint, check, date, index, integer, pgTable, text, timestamp, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import { payments } from './payments.ts';

const instant = (name: string) => timestamp(name, { withTimezone: true });

/** `failed`: the provider could not register it, and an operator has to make it by hand. */
export const offsetReceiptStatuses = ['pending', 'succeeded', 'failed'] as const;
export type OffsetReceiptStatus = (typeof offsetReceiptStatuses)[number];

export const offsetReceipts = pgTable(
  'offset_receipts',
  {
    id: uuid().primaryKey(),
    paymentId: uuid('payment_id')
      .notNull()
      .references(() => payments.id),
    /** The first day of the month; usage of earlier months that was booked late is part of it. */
    month: date({ mode: 'string' }).notNull(),
    kopecks: bigint({ mode: 'bigint' }).notNull(),
    status: text({ enum: offsetReceiptStatuses }).notNull().default('pending'),
    /** The idempotency key for the provider, and since when it is in use: providers forget keys. */
    key: uuid().notNull(),
    askedAt: instant('asked_at'),
    /** The provider's id of the receipt; null until the provider has said it. */
    providerReference: text('provider_reference'),
    /** Why it failed, or was refused at the last attempt. */
    problem: text(),
    attempts: integer().notNull().default(0),
    nextAttemptAt: instant('next_attempt_at').notNull(),
    createdAt: instant('created_at').notNull().defaultNow(),
    finishedAt: instant('finished_at'),
  },
  (table) => [
    uniqueIndex('offset_receipts_month').on(table.paymentId, table.month),
    uniqueIndex('offset_receipts_reference').on(table.providerReference),
    index('offset_receipts_due').on(table.nextAttemptAt).where(sql`${table.status} = 'pending'`),
    check('offset_receipt_amount', sql`${table.kopecks} > 0`),
    check('offset_receipt_finished', sql`(${table.status} = 'pending') = (${table.finishedAt} IS NULL)`),
  ],
);
