/**
 * Webhooks of organizations: where they are sent, and what is sent. A delivery is written in the transaction that causes its event
 * (admin/operations/webhook-events/write-event.ts), which takes no lock of the endpoint. So one that is being deleted may leave
 * deliveries behind: they are never sent, and purged like all others.
 */
import { sql } from 'drizzle-orm';
import {
  bigint,
  boolean,
  date,
  index,
  integer,
  json,
  pgTable,
  primaryKey,
  smallint,
  text,
  timestamp,
  uuid,
} from 'drizzle-orm/pg-core';
import { accounts } from './accounts.ts';

/** Before the endpoint rests. */
export const attemptsMax = 10;

export const webhookEndpoints = pgTable(
  'webhook_endpoints',
  {
    id: uuid().primaryKey(),
    accountId: bigint('account_id', { mode: 'number' })
      .notNull()
      .references(() => accounts.id),
    url: text().notNull(),
    /** Types of events; a newer version may have written some that this one does not know. */
    events: text().array().notNull(),
    active: boolean().notNull(),
    /** Sealed with a key derived from KEY_PEPPER (admin/auth/sealed-secret.ts). */
    sealedSecret: text('sealed_secret').notNull(),
    /** The one before, which signs too until the given time. */
    formerSealedSecret: text('former_sealed_secret'),
    formerSecretEndsAt: timestamp('former_secret_ends_at', { withTimezone: true }),
    /** Since when it is inactive because a delivery failed for good, and how; null if people have decided. */
    restedAt: timestamp('rested_at', { withTimezone: true }),
    restReason: text('rest_reason'),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
  },
  (table) => [index('webhook_endpoints_account').on(table.accountId)],
);

export const webhookDeliveries = pgTable(
  'webhook_deliveries',
  {
    id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    endpointId: uuid('endpoint_id').notNull(),
    /** The same for all endpoints and attempts: receivers recognize repetitions by it. */
    eventId: uuid('event_id').notNull(),
    type: text().notNull(),
    data: json().notNull(),
    occurredAt: timestamp('occurred_at', { withTimezone: true }).notNull().defaultNow(),
    state: text({ enum: ['pending', 'delivered', 'failed'] })
      .notNull()
      .default('pending'),
    /** Incremented when an attempt begins; only the newest one records its outcome. */
    attempts: integer().notNull().default(0),
    /** Attempts that may still begin before it has failed. */
    triesLeft: smallint('tries_left').notNull().default(attemptsMax),
    nextAttemptAt: timestamp('next_attempt_at', { withTimezone: true }).notNull().defaultNow(),
    /** While an attempt is running, when another sender may take over; null otherwise. */
    leaseEndsAt: timestamp('lease_ends_at', { withTimezone: true }),
    /** Of the newest attempt that has ended. The status is null where there was no response. */
    attemptedAt: timestamp('attempted_at', { withTimezone: true }),
    responseStatus: smallint('response_status'),
    responseBody: text('response_body'),
    error: text(),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
  },
  (table) => [
    index('webhook_deliveries_due').on(table.endpointId, table.nextAttemptAt).where(sql`${table.state} = 'pending'`),
    index('webhook_deliveries_endpoint').on(table.endpointId, table.id),
    index('webhook_deliveries_age').on(table.createdAt),
  ],
);

/** That the webhooks of an account got the event of a model's retirement, so many days ahead. */
export const retirementNotices = pgTable(
  'retirement_notices',
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
