/**
 * Automatic top-ups: what a customer has agreed to, the card that pays, and when the balance is looked at next. Their
 * payments are ordinary ones that name the card (see payments.ts).
 */
import { sql } from 'drizzle-orm';
import { bigint, check, index, integer, pgTable, text, timestamp, uuid } from 'drizzle-orm/pg-core';
import { accounts } from './accounts.ts';

const instant = (name: string) => timestamp(name, { withTimezone: true });
const money = (name: string) => bigint(name, { mode: 'bigint' });

/** `on`: also while it waits for a card. `stopped` by the gateway, until the customer switches it on again. */
export const autoTopUpStates = ['on', 'off', 'stopped'] as const;

/** What a provider calls a card that it keeps. The gateway never sees the card itself. */
export const savedCards = pgTable(
  'saved_cards',
  {
    id: uuid().primaryKey(),
    accountId: bigint('account_id', { mode: 'number' })
      .notNull()
      .references(() => accounts.id),
    method: text().notNull(),
    /** The provider's id of the card; null once the card is deleted. */
    reference: text(),
    /** The provider's id of the customer, where it has one. */
    customer: text(),
    /** Such as "Visa •••• 4242". */
    title: text(),
    createdAt: instant('created_at').notNull().defaultNow(),
  },
  (table) => [index('saved_cards_account').on(table.accountId)],
);

export const autoTopUps = pgTable(
  'auto_top_ups',
  {
    accountId: bigint('account_id', { mode: 'number' })
      .primaryKey()
      .references(() => accounts.id),
    state: text({ enum: autoTopUpStates }).notNull(),
    method: text().notNull(),
    currency: text({ enum: ['RUB', 'USD'] }).notNull(),
    amountMinor: money('amount_minor').notNull(),
    /** A balance below this is topped up. */
    thresholdNano: money('threshold_nano').notNull(),
    /** The most that is charged in a day and a month of the billing time zone. */
    dayLimitMinor: money('day_limit_minor').notNull(),
    monthLimitMinor: money('month_limit_minor').notNull(),
    /** Null until a payment has saved one. */
    cardId: uuid('card_id').references(() => savedCards.id),
    /** Failed charges in a row. */
    failures: integer().notNull().default(0),
    /** Why it was stopped. */
    stopReason: text('stop_reason', { enum: ['failures', 'dispute'] }),
    /** When the balance is looked at; null until a charge puts it below the threshold. */
    dueAt: instant('due_at'),
    updatedAt: instant('updated_at').notNull(),
  },
  (table) => [
    index('auto_top_ups_due').on(table.dueAt).where(sql`${table.state} = 'on' AND ${table.dueAt} IS NOT NULL`),
    check('auto_top_up_amounts', sql`${table.amountMinor} > 0 AND ${table.thresholdNano} > 0`),
    check(
      'auto_top_up_limits',
      sql`${table.amountMinor} <= ${table.dayLimitMinor} AND ${table.dayLimitMinor} <= ${table.monthLimitMinor}`,
    ),
    check('auto_top_up_stopped', sql`(${table.state} = 'stopped') = (${table.stopReason} IS NOT NULL)`),
  ],
);

/** Each time that a customer agreed to automatic top-ups: to which text, with which amounts, when, and from where. */
export const autoTopUpConsents = pgTable(
  'auto_top_up_consents',
  {
    id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    accountId: bigint('account_id', { mode: 'number' })
      .notNull()
      .references(() => accounts.id),
    textVersion: text('text_version').notNull(),
    /** The words as they were shown, with the amounts. */
    words: text().notNull(),
    /** Of the browser; null once the account is deleted. */
    address: text(),
    givenAt: instant('given_at').notNull(),
  },
  (table) => [index('auto_top_up_consents_account').on(table.accountId, table.id)],
);
