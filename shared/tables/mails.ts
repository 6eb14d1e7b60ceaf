/**
 * Mails to be sent. A row is written in the transaction that decides to send one, and leaves as a mail when that has
 * been committed; a mail server that is away delays mails and loses none.
 */
import { sql } from 'drizzle-orm';
import { bigint, index, integer, jsonb, pgTable, text, timestamp, uuid } from 'drizzle-orm/pg-core';

export const mailLanguages = ['ru', 'en'] as const;
export type MailLanguage = (typeof mailLanguages)[number];

export const mailKinds = [
  'low_balance',
  'verify_email',
  'verify_alert_address',
  'reset_password',
  'email_change',
  'password_changed',
  'address_verified',
  'account_deleted',
  'test',
] as const;

export const mails = pgTable(
  'mails',
  {
    id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    /** The mail's Message-ID is made of it, so that every attempt to send the mail carries the same one. */
    messageKey: uuid('message_key').notNull().defaultRandom(),
    /** The account that the mail is about. Null in mails that versions before 0.1.0 wrote. */
    accountId: bigint('account_id', { mode: 'number' }),
    recipient: text().notNull(),
    language: text({ enum: mailLanguages }).notNull(),
    kind: text({ enum: mailKinds }).notNull(),
    /** What the kind's template wants. Removed once the mail was sent, because links in it are secrets. */
    data: jsonb(),
    state: text({ enum: ['queued', 'sent', 'failed'] })
      .notNull()
      .default('queued'),
    /** Counted when an attempt begins; the number is also what entitles its sender to write down how it went. */
    attempts: integer().notNull().default(0),
    /** While an attempt runs, the end of its lease: another sender takes over then. */
    nextAttemptAt: timestamp('next_attempt_at', { withTimezone: true }).notNull().defaultNow(),
    /** No attempt begins after it: the mail is `failed` then. */
    giveUpAt: timestamp('give_up_at', { withTimezone: true }).notNull().default(sql`now() + interval '3 days'`),
    lastError: text('last_error'),
    /** What the mail server said when it took the mail, or the path of the file. */
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
