/**
 * The actions of operators, and of members in their organization. Written in the transaction that does it, so that nothing is done without a trace and no
 * trace is left of what was not done. Append-only: triggers refuse DELETE, and every UPDATE but one that takes a deleted
 * person's name and addresses out (see drizzle/0019_deleted_accounts.sql).
 */
import { sql } from 'drizzle-orm';
import { bigint, boolean, index, jsonb, pgTable, text, timestamp } from 'drizzle-orm/pg-core';

export const auditEntries = pgTable(
  'audit_entries',
  {
    id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    at: timestamp({ withTimezone: true }).notNull().defaultNow(),
    /** An e-mail address, `cli:<system user>`, or `user 5` for one who deletes their own account or was deleted since. */
    actor: text().notNull(),
    /** Null for the command line. */
    userId: bigint('user_id', { mode: 'number' }),
    /** Where the request came from; the host's name for the command line. */
    address: text(),
    /** `x-request-id`; null for the command line. */
    requestId: text('request_id'),
    /** Whether the actor is a member of the account, or its billing key; others are operators. */
    isMember: boolean('is_member').notNull().default(false),
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
    index('audit_entries_operators').on(table.id.desc()).where(sql`NOT ${table.isMember}`),
    index('audit_entries_actor').on(table.actor, table.id.desc()),
  ],
);
