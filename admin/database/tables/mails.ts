/**
 * The mail queue. A row is written in the transaction that decides to send a mail, and sent after the commit; an
 * unavailable mail server delays mails but loses none.
 */
import { sql } from 'drizzle-orm';
import { bigint, index, integer, jsonb, pgTable, text, timestamp, uuid } from 'drizzle-orm/pg-core';
import { languages } from '../../../shared/languages.ts';

export const mailKinds = [
  'low_balance',
  'budget_alert',
  'verify_email',
  'verify_alert_address',
  'reset_password',
  'email_change',
  'password_changed',
  'sign_in_changed',
  'address_verified',
  'address_in_use',
  'invitation',
  'account_deleted',
  'payment_received',
  'payment_failed',
  'payment_refunded',
  'payment_restored',
  'refund_failed',
  'auto_top_up_failed',
  'auto_top_up_stopped',
  'document_ready',
  'webhook_rested',
  'model_retiring',
  'price_list_differs',
  'test',
] as const;

export const mails = pgTable(
  'mails',
  {
    id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    /** The mail's Message-ID is derived from it, so that every attempt carries the same one. */
    messageKey: uuid('message_key').notNull().defaultRandom(),
    /** The account that the mail is about. */
    accountId: bigint('account_id', { mode: 'number' }).notNull(),
    recipient: text().notNull(),
    language: text({ enum: languages }).notNull(),
    kind: text({ enum: mailKinds }).notNull(),
    /** The template's data. Removed once the mail was sent, because links in it are secrets. */
    data: jsonb(),
    state: text({ enum: ['queued', 'sent', 'failed'] })
      .notNull()
      .default('queued'),
    /** Incremented when an attempt begins; only the newest attempt's sender may record its outcome. */
    attempts: integer().notNull().default(0),
    /** During an attempt, the end of its lease: then another sender takes over. */
    nextAttemptAt: timestamp('next_attempt_at', { withTimezone: true }).notNull().defaultNow(),
    /** No attempt begins after this; the mail is then `failed`. */
    giveUpAt: timestamp('give_up_at', { withTimezone: true }).notNull().default(sql`now() + interval '3 days'`),
    lastError: text('last_error'),
    /** The mail server's response when it accepted the mail, or the path of the file. */
    response: text(),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
    sentAt: timestamp('sent_at', { withTimezone: true }),
  },
  (table) => [
    index('mails_queued').on(table.nextAttemptAt).where(sql`${table.state} = 'queued'`),
    index('mails_state').on(table.state, table.id.desc()),
    index('mails_account').on(table.accountId, table.id),
  ],
);
