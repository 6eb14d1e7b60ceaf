/** Tokens of mailed links, stored hashed. Each is for one purpose, one address and one use. */
import { bigint, index, pgTable, text, timestamp, uniqueIndex } from 'drizzle-orm/pg-core';
import { users } from './accounts.ts';

export const mailTokens = pgTable(
  'mail_tokens',
  {
    id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    userId: bigint('user_id', { mode: 'number' })
      .notNull()
      .references(() => users.id),
    /** The account that the link is about; null for the user's home. */
    accountId: bigint('account_id', { mode: 'number' }),
    purpose: text({ enum: ['verify_email', 'reset_password', 'verify_alert_address'] }).notNull(),
    /** Where the link was sent: following it proves this address and no other. */
    email: text().notNull(),
    tokenHash: text('token_hash').notNull(),
    expiresAt: timestamp('expires_at', { withTimezone: true }).notNull(),
    /** Also set when the token was voided before it was used. */
    usedAt: timestamp('used_at', { withTimezone: true }),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
  },
  (table) => [
    uniqueIndex('mail_tokens_hash_unique').on(table.tokenHash),
    index('mail_tokens_user').on(table.userId),
    index('mail_tokens_expiry').on(table.expiresAt),
  ],
);
