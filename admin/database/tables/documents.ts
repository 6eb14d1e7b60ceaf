/**
 * Accounting documents. Each keeps what it says as JSON (`DocumentData` of admin), and never changes: triggers refuse it
 * (see drizzle/0027_documents.sql). A correction is a new document, which names the one it replaces.
 *
 * Numbers run without a gap per type and year of the document's date. The counter's row is locked until the transaction
 * that makes the document ends, and rolled back with it. A corrected счёт-фактура or УПД keeps the number, and its
 * corrections are counted.
 */
import { sql } from 'drizzle-orm';
import {
  bigint,
  check,
  customType,
  date,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  smallint,
  text,
  timestamp,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core';
import { accounts } from './accounts.ts';
import { payments } from './payments.ts';

const binary = customType<{ data: Uint8Array }>({ dataType: () => 'bytea' });

export const documentTypes = ['invoice', 'advance_invoice', 'act', 'upd', 'tax_invoice', 'reconciliation'] as const;

export const documents = pgTable(
  'documents',
  {
    /** A UUIDv7: its random part cannot be guessed. */
    id: uuid().primaryKey(),
    accountId: bigint('account_id', { mode: 'number' })
      .notNull()
      .references(() => accounts.id),
    type: text({ enum: documentTypes }).notNull(),
    /** Of the document's date. */
    year: smallint().notNull(),
    number: integer().notNull(),
    date: date({ mode: 'string' }).notNull(),
    /** First and last day of what it is about; null for a payment's document. */
    periodFrom: date('period_from', { mode: 'string' }),
    periodTo: date('period_to', { mode: 'string' }),
    /** The order that an invoice is for, or the payment of an advance. */
    paymentId: uuid('payment_id').references(() => payments.id),
    /** In roubles; of a reconciliation, its closing balance. */
    amountKopecks: bigint('amount_kopecks', { mode: 'bigint' }).notNull(),
    data: jsonb().notNull(),
    /** The document that this one takes the place of. */
    correctsId: uuid('corrects_id'),
    /** 0 for a document with a number of its own, also if it corrects another. */
    correctionNumber: smallint('correction_number').notNull().default(0),
    correctionDate: date('correction_date', { mode: 'string' }),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
  },
  (table) => [
    uniqueIndex('documents_number').on(table.type, table.year, table.number, table.correctionNumber),
    uniqueIndex('documents_payment').on(table.paymentId, table.type).where(sql`${table.correctsId} IS NULL`),
    uniqueIndex('documents_services')
      .on(table.accountId, table.periodTo)
      .where(sql`${table.type} IN ('act', 'upd') AND ${table.correctsId} IS NULL`),
    uniqueIndex('documents_tax_invoice')
      .on(table.accountId, table.periodTo)
      .where(sql`${table.type} = 'tax_invoice' AND ${table.correctsId} IS NULL`),
    uniqueIndex('documents_correction').on(table.correctsId),
    index('documents_account').on(table.accountId, table.date.desc(), table.id.desc()),
    check('document_number', sql`${table.number} > 0 AND ${table.year} = extract(year FROM ${table.date})`),
    check(
      'document_about_payment',
      sql`(${table.type} IN ('invoice', 'advance_invoice')) = (${table.paymentId} IS NOT NULL)`,
    ),
    check(
      'document_about_period',
      sql`(${table.paymentId} IS NULL) = (${table.periodFrom} IS NOT NULL AND ${table.periodTo} IS NOT NULL)`,
    ),
    check('document_period', sql`${table.periodFrom} <= ${table.periodTo}`),
    check(
      'document_correction',
      sql`(${table.correctionNumber} > 0) = (${table.correctionDate} IS NOT NULL)
        AND (${table.correctionNumber} = 0 OR ${table.correctsId} IS NOT NULL)`,
    ),
    check('document_amount', sql`${table.amountKopecks} > 0 OR ${table.type} = 'reconciliation'`),
  ],
);

/** The PDF of a document, as it was first sent or downloaded. Triggers keep it as it is (see the migration `kept_files`). */
export const documentFiles = pgTable('document_files', {
  documentId: uuid('document_id')
    .primaryKey()
    .references(() => documents.id),
  bytes: binary().notNull(),
  createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
});

/** The last number that was given. */
export const documentCounters = pgTable(
  'document_counters',
  {
    type: text({ enum: documentTypes }).notNull(),
    year: smallint().notNull(),
    last: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.type, table.year] })],
);
