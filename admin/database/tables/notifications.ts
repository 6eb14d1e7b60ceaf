/**
 * Low-balance alerts. The customer's settings and the gateway's memory are two tables, so that neither writer
 * overwrites the other.
 */
import { sql } from 'drizzle-orm';
import {
  bigint,
  boolean,
  date,
  doublePrecision,
  index,
  pgTable,
  primaryKey,
  smallint,
  text,
  timestamp,
  uniqueIndex,
} from 'drizzle-orm/pg-core';
import { languages } from '../../../shared/languages.ts';
import { accounts } from './accounts.ts';

/** The settings of an account that has changed nothing. */
export const notificationDefaults = {
  emailEnabled: true,
  thresholdKopecks: 50_000n,
  intervalHours: 24,
  language: 'en',
  documentEmails: true,
} as const;

/** Accounts without a row have the columns' defaults. */
export const notificationSettings = pgTable('notification_settings', {
  accountId: bigint('account_id', { mode: 'number' })
    .primaryKey()
    .references(() => accounts.id),
  emailEnabled: boolean('email_enabled').notNull().default(notificationDefaults.emailEnabled),
  thresholdKopecks: bigint('threshold_kopecks', { mode: 'bigint' })
    .notNull()
    .default(sql.raw(String(notificationDefaults.thresholdKopecks))),
  /** As the JSON number that the customer sent: any from 0, without an upper limit. */
  intervalHours: doublePrecision('interval_hours').notNull().default(notificationDefaults.intervalHours),
  language: text({ enum: languages }).notNull().default(notificationDefaults.language),
  /** Whether new accounting documents are mailed. */
  documentEmails: boolean('document_emails').notNull().default(notificationDefaults.documentEmails),
  updatedAt: timestamp('updated_at', { withTimezone: true }).notNull().defaultNow(),
});

/** Additional addresses for an account's alerts. None gets an alert before its owner has confirmed. */
export const alertAddresses = pgTable(
  'alert_addresses',
  {
    id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    accountId: bigint('account_id', { mode: 'number' })
      .notNull()
      .references(() => accounts.id),
    email: text().notNull(),
    /** In the unsubscribe link of every alert to it. It stops alerts to this address and opens nothing. */
    stopToken: text('stop_token').notNull().default(sql`gen_random_uuid()::text`),
    /** When the link that was mailed to the address was followed last. */
    confirmedAt: timestamp('confirmed_at', { withTimezone: true }),
    /** When the recipient unsubscribed, until they confirm the address again. */
    stoppedAt: timestamp('stopped_at', { withTimezone: true }),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
  },
  (table) => [
    uniqueIndex('alert_addresses_email').on(table.accountId, sql`lower(${table.email})`),
    uniqueIndex('alert_addresses_stop_token').on(table.stopToken),
  ],
);

/** Alert state of accounts that were ever charged or alerted. Written under the lock of the account's row. */
export const balanceAlerts = pgTable(
  'balance_alerts',
  {
    accountId: bigint('account_id', { mode: 'number' })
      .primaryKey()
      .references(() => accounts.id),
    /** The balance has fallen: it was below the threshold when last checked, and above it some time before. */
    below: boolean().notNull(),
    /** At any time. The previous version has no such column, and has rows only for accounts that it alerted. */
    seenAbove: boolean('seen_above').notNull().default(true),
    /** There was a fall or spending within the interval after the last alert: one is owed when the interval ends. */
    owed: boolean().notNull(),
    alertedAt: timestamp('alerted_at', { withTimezone: true }),
    /** When the last alert that the balance was used up was written. */
    emptiedAt: timestamp('emptied_at', { withTimezone: true }),
  },
  (table) => [index('balance_alerts_owed').on(table.accountId).where(sql`${table.owed}`)],
);

/** That a model's retirement was mailed to the owners of an account, so many days ahead. */
export const retirementMails = pgTable(
  'retirement_mails',
  {
    accountId: bigint('account_id', { mode: 'number' })
      .notNull()
      .references(() => accounts.id),
    model: text().notNull(),
    retiresAt: date('retires_at', { mode: 'string' }).notNull(),
    daysAhead: smallint('days_ahead').notNull(),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.accountId, table.model, table.retiresAt, table.daysAhead] })],
);
