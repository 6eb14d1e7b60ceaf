/**
 * The audit log of operators' actions. Written in the transaction of the action, so that there is no action without an
 * entry and no entry without an action. Append-only: a trigger refuses UPDATE and DELETE.
 */
import { bigint, index, jsonb, pgTable, text, timestamp } from 'drizzle-orm/pg-core';

export const auditEntries = pgTable(
  'audit_entries',
  {
    id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    at: timestamp({ withTimezone: true }).notNull().defaultNow(),
    /** An e-mail address, or `cli:<system user>`. */
    actor: text().notNull(),
    /** Null for the command line. */
    userId: bigint('user_id', { mode: 'number' }),
    /** Where the request came from; the host's name for the command line. */
    address: text(),
    /** `x-request-id`; null for the command line. */
    requestId: text('request_id'),
    /** The action: `account.block`. */
    action: text().notNull(),
    /** Its object: `account 17`. */
    subject: text().notNull(),
    /** The account concerned, if any. */
    accountId: bigint('account_id', { mode: 'number' }),
    reason: text(),
    /** The subject before and after; amounts are decimal strings of USD. Null if there was or is none. */
    before: jsonb(),
    after: jsonb(),
  },
  (table) => [
    index('audit_entries_account').on(table.accountId, table.id.desc()),
    index('audit_entries_actor').on(table.actor, table.id.desc()),
  ],
);
