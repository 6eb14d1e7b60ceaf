/**
 * Orders to top up a wallet, what providers said about them, and money that went back. The ledger's journal of a payment
 * has the payment's id as its idempotency key, so a payment is booked once however often it is reported.
 *
 * Amounts are in the smallest unit of their currency, kopecks or cents, and in nano-USD. Triggers keep what was booked,
 * and every event, from changing (see drizzle/0026_payments.sql).
 */
import { sql } from 'drizzle-orm';
import {
  bigint,
  boolean,
  check,
  date,
  index,
  integer,
  pgTable,
  text,
  timestamp,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core';
import { accounts } from './accounts.ts';
import { savedCards } from './auto-top-ups.ts';

export const paymentStatuses = ['pending', 'succeeded', 'canceled', 'expired', 'review', 'refunded'] as const;
export type PaymentStatus = (typeof paymentStatuses)[number];

export const paymentCurrencies = ['RUB', 'USD'] as const;
export type PaymentCurrency = (typeof paymentCurrencies)[number];

/** A notification, the response to our own query, or what an operator or a bank statement reported. */
export const paymentEventKinds = ['notification', 'answer', 'confirmation'] as const;

export const refundStatuses = ['pending', 'succeeded', 'refused'] as const;
export type RefundStatus = (typeof refundStatuses)[number];

/** What an operator has found out about a refund in review. */
export const refundSettlements = ['returned', 'refused'] as const;
export type RefundSettlement = (typeof refundSettlements)[number];

const instant = (name: string) => timestamp(name, { withTimezone: true });
const money = (name: string) => bigint(name, { mode: 'bigint' });

export const payments = pgTable(
  'payments',
  {
    /** A UUIDv7, also the provider's idempotency key. */
    id: uuid().primaryKey(),
    accountId: bigint('account_id', { mode: 'number' })
      .notNull()
      .references(() => accounts.id),
    /** An id of shared/payment-methods.ts, which it may have lost since. */
    method: text().notNull(),
    status: text({ enum: paymentStatuses }).notNull().default('pending'),
    currency: text({ enum: paymentCurrencies }).notNull(),
    amountMinor: money('amount_minor').notNull(),
    /** What the wallet gets. At the rate of the order until it is booked, then at that of the day the money came. */
    creditNano: money('credit_nano').notNull(),
    /** Roubles per dollar in ten-thousandths, the date it was set for (null if configured), and the margin on it. */
    rubPerUsd: money('rub_per_usd').notNull(),
    rateDate: date('rate_date', { mode: 'string' }),
    marginPpm: money('margin_ppm').notNull(),
    /** What the payment is worth in roubles: what accounting documents add up. */
    rubKopecks: money('rub_kopecks').notNull(),
    /** What went back and has not come back since. */
    refundedMinor: money('refunded_minor').notNull().default(sql`0`),
    /** What won disputes and failed refunds brought back. */
    restoredMinor: money('restored_minor').notNull().default(sql`0`),
    /** What reversals should have taken, and the wallet has not had since. */
    owedNano: money('owed_nano').notNull().default(sql`0`),
    /** The provider's id of the payment; null until the provider has said it. */
    providerReference: text('provider_reference'),
    /** What makes a bank's number unique: the day and the payer's account, where a bank statement says them. */
    referenceScope: text('reference_scope').notNull().default(''),
    /** The id that an unproven notification named, until the provider has confirmed or denied it. */
    claimedReference: text('claimed_reference'),
    confirmationUrl: text('confirmation_url'),
    returnUrl: text('return_url').notNull(),
    /** When the customer disputed it with their bank; then they can no longer top up by card. */
    disputedAt: instant('disputed_at'),
    /** When that dispute was won, which lifts the block. */
    disputeWonAt: instant('dispute_won_at'),
    /** Whether the provider is asked to keep the card for automatic top-ups. */
    savesCard: boolean('saves_card').notNull().default(false),
    /** The card of an automatic top-up; null for an order of the customer. */
    cardId: uuid('card_id').references(() => savedCards.id),
    /** Whether the outcome of an automatic top-up is counted; null for an order of the customer. */
    outcomeCounted: boolean('outcome_counted'),
    /** Where the provider sends the fiscal receipt. */
    email: text().notNull(),
    /** Why it is in review, or was canceled. Operators read it. */
    problem: text(),
    /** The customer's ledger line; null until the payment is booked. */
    transactionId: bigint('transaction_id', { mode: 'number' }),
    /** When the provider or the bank got the money. */
    paidAt: instant('paid_at'),
    expiresAt: instant('expires_at').notNull(),
    /** When the provider is queried next; null if it need not be. */
    nextAskAt: instant('next_ask_at'),
    asks: integer().notNull().default(0),
    createdAt: instant('created_at').notNull().defaultNow(),
  },
  (table) => [
    uniqueIndex('payments_reference').on(table.method, table.providerReference, table.referenceScope),
    /** An account has one automatic top-up at a time, until its outcome is counted. */
    uniqueIndex('payments_automatic').on(table.accountId).where(sql`NOT ${table.outcomeCounted}`),
    uniqueIndex('payments_transaction').on(table.transactionId),
    index('payments_account').on(table.accountId, table.id.desc()),
    index('payments_due').on(table.nextAskAt).where(sql`${table.nextAskAt} is not null`),
    // The youngest get their advance invoices.
    index('payments_paid').on(table.paidAt).where(sql`${table.transactionId} is not null`),
    // What someone who is erased has ordered, for whichever organization.
    index('payments_email').on(sql`lower(${table.email})`).where(sql`${table.email} <> ''`),
    index('payments_status').on(table.status, table.id.desc()),
    check('payment_amounts', sql`${table.amountMinor} > 0 AND ${table.creditNano} > 0 AND ${table.rubKopecks} > 0`),
    check(
      'payment_refunded',
      sql`${table.refundedMinor} BETWEEN 0 AND ${table.amountMinor} AND ${table.restoredMinor} >= 0`,
    ),
    check('payment_automatic', sql`(${table.cardId} IS NULL) = (${table.outcomeCounted} IS NULL)`),
    check('payment_owed', sql`${table.owedNano} BETWEEN 0 AND ${table.creditNano}`),
    check(
      'payment_booked',
      sql`(${table.status} IN ('succeeded', 'refunded')) = (${table.transactionId} IS NOT NULL)
        AND (${table.transactionId} IS NULL OR ${table.paidAt} IS NOT NULL)`,
    ),
    check(
      'payment_refunded_whole',
      sql`(${table.status} = 'refunded') = (${table.refundedMinor} = ${table.amountMinor})
        AND (${table.refundedMinor} = 0 OR ${table.transactionId} IS NOT NULL)`,
    ),
  ],
);

/**
 * What a provider said, as it said it; stored before it is acted on. Of a notification that anyone could have sent, only
 * what it is about is stored, once. Append-only, except that bodies are emptied once the account is deleted, and that
 * notifications are purged after 90 days (see the migration `kept_files`).
 */
export const paymentEvents = pgTable(
  'payment_events',
  {
    id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    paymentId: uuid('payment_id')
      .notNull()
      .references(() => payments.id),
    kind: text({ enum: paymentEventKinds }).notNull(),
    body: text().notNull(),
    receivedAt: instant('received_at').notNull().defaultNow(),
  },
  (table) => [
    index('payment_events_payment').on(table.paymentId, table.id),
    index('payment_events_purge').on(table.receivedAt).where(sql`${table.kind} = 'notification'`),
  ],
);

/** Returned money: refunds that an operator ordered, and reversals by the provider. */
export const paymentRefunds = pgTable(
  'payment_refunds',
  {
    /** A UUIDv7: the idempotency key of its journal and for the provider, and the id of its hold in Redis. */
    id: uuid().primaryKey(),
    paymentId: uuid('payment_id')
      .notNull()
      .references(() => payments.id),
    /**
     * `ordered` by an operator here; `reversed` by the provider: a chargeback, or a refund in the provider's own cabinet;
     * `restored`: what a dispute or a refund took came back, because the dispute was won or the refund failed;
     * `collected`: what a reversal lacked was taken later; `disputed`: nothing was left that a dispute could take.
     */
    kind: text({ enum: ['ordered', 'reversed', 'restored', 'collected', 'disputed'] }).notNull(),
    /** The provider's id of the dispute that took the money, or of what was won or failed; null for refunds. */
    disputeReference: text('dispute_reference'),
    status: text({ enum: refundStatuses }).notNull().default('pending'),
    /** 0 of what was collected: its reversal has the amount. */
    amountMinor: money('amount_minor').notNull(),
    /** What it takes from the wallet. */
    amountNano: money('amount_nano').notNull(),
    /** What a reversal should have taken but the wallet did not have. */
    owedNano: money('owed_nano').notNull().default(sql`0`),
    reason: text().notNull(),
    providerReference: text('provider_reference'),
    /** When the provider was first asked: from then on it may have returned the money, and no longer is it refused here. */
    askedAt: instant('asked_at'),
    /** When it was left to an operator, because the provider does not say whether it has returned the money. */
    reviewSince: instant('review_since'),
    settledAs: text('settled_as', { enum: refundSettlements }),
    problem: text(),
    transactionId: bigint('transaction_id', { mode: 'number' }),
    nextAttemptAt: instant('next_attempt_at').notNull().defaultNow(),
    attempts: integer().notNull().default(0),
    createdAt: instant('created_at').notNull().defaultNow(),
    finishedAt: instant('finished_at'),
  },
  (table) => [
    index('payment_refunds_payment').on(table.paymentId, table.id),
    // The bank does not wait for a refund, so a reversal may be pending beside one.
    uniqueIndex('payment_refunds_pending')
      .on(table.paymentId)
      .where(sql`${table.status} = 'pending' AND ${table.kind} = 'ordered'`),
    uniqueIndex('payment_refunds_transaction').on(table.transactionId),
    // A dispute may be taken in several parts; nothing is given back twice.
    uniqueIndex('payment_refunds_once')
      .on(table.paymentId, table.disputeReference, table.kind)
      .where(sql`${table.kind} <> 'reversed'`),
    index('payment_refunds_due').on(table.nextAttemptAt).where(sql`${table.status} = 'pending'`),
    check(
      'refund_amounts',
      sql`${table.amountMinor} >= 0 AND (${table.amountMinor} = 0) = (${table.kind} = 'collected')
        AND ${table.amountNano} >= 0 AND ${table.owedNano} >= 0`,
    ),
    check('refund_finished', sql`(${table.status} = 'pending') = (${table.finishedAt} IS NULL)`),
    check(
      'refund_booked',
      sql`${table.transactionId} IS NULL OR (${table.status} = 'succeeded' AND ${table.amountNano} > 0)`,
    ),
  ],
);
