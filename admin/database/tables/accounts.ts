/**
 * Who pays: the customer's account, which people see as their organization. Its balance is a cache of the sum of its ledger
 * lines, changed only in the transaction that inserts them.
 */
import { sql } from 'drizzle-orm';
import {
  bigint,
  check,
  index,
  jsonb,
  pgTable,
  pgView,
  primaryKey,
  text,
  timestamp,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core';
import type { DataPolicy } from '../../../shared/keys/data-policy.ts';
import { perRateLimit } from '../../../shared/limits/rate-limits.ts';

export const accounts = pgTable(
  'accounts',
  {
    id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    /** Σ of the account's lines: `creditedNano` less `spentNano`. */
    balanceNano: bigint('balance_nano', { mode: 'bigint' }).notNull().default(sql`0`),
    creditedNano: bigint('credited_nano', { mode: 'bigint' }).notNull().default(sql`0`),
    spentNano: bigint('spent_nano', { mode: 'bigint' }).notNull().default(sql`0`),
    /** Number of the account's last credit; Redis applies number n + 1 only after number n. */
    creditSeq: bigint('credit_seq', { mode: 'number' }).notNull().default(0),
    /** For all keys together. Null means five times the proxy's default for a key, 0 no limit. */
    ...perRateLimit(({ column }) => bigint(column, { mode: 'number' })),
    /** Since when log-ins and keys of the account are refused; null if it is not blocked. */
    blockedAt: timestamp('blocked_at', { withTimezone: true }),
    /** Since when the account is deleted. Its row and its ledger stay, and nothing of its people does. */
    deletedAt: timestamp('deleted_at', { withTimezone: true }),
    /**
     * Whether the person who knows the password is known to read the mail sent to the account's address.
     *
     * - `unproven`: no mailed link has been followed. Proxy keys are refused.
     * - `uncertain`: one has, without a log-in, so the password may be someone else's. Keys work, and a
     *   password reset deactivates them.
     * - `proven`: they are one person, or an operator made the account.
     */
    ownership: text({ enum: ['unproven', 'uncertain', 'proven'] })
      .notNull()
      .default('proven'),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
  },
  (table) => [
    check('balance_is_credited_less_spent', sql`${table.balanceNano} = ${table.creditedNano} - ${table.spentNano}`),
  ],
);

/** A person who logs in. */
export const users = pgTable(
  'users',
  {
    id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    /** The organization that was made for them, or for which they were made. Everyone owns one. */
    homeAccountId: bigint('account_id', { mode: 'number' })
      .notNull()
      .references(() => accounts.id),
    /** The organization that they were in last; null for their home. */
    lastAccountId: bigint('last_account_id', { mode: 'number' }),
    /** As typed by the user, trimmed; unique without regard to case. */
    email: text().notNull(),
    passwordHash: text('password_hash').notNull(),
    role: text({ enum: ['customer', 'operator'] })
      .notNull()
      .default('customer'),
    displayName: text('display_name'),
    avatarUrl: text('avatar_url'),
    emailVerifiedAt: timestamp('email_verified_at', { withTimezone: true }),
    /** The address that the user wants to change to, until they follow the link mailed to it. */
    pendingEmail: text('pending_email'),
    /** Since when log-ins need a second factor; null if the user has none. */
    secondFactorAt: timestamp('second_factor_at', { withTimezone: true }),
    /** A deleted user stays as a row, because tokens and the audit log name it; `email` is then one that no one can have. */
    deletedAt: timestamp('deleted_at', { withTimezone: true }),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
  },
  (table) => [
    uniqueIndex('users_email_unique').on(sql`lower(${table.email})`),
    index('users_account').on(table.homeAccountId, table.id),
    // Operators search for any part of these while they type.
    index('users_email_search').using('gin', sql`lower(${table.email}) gin_trgm_ops`),
    index('users_name_search').using('gin', sql`lower(${table.displayName}) gin_trgm_ops`),
  ],
);

/** Who belongs to an account, and as what. A trigger makes each new user the owner of their account. */
export const memberships = pgTable(
  'memberships',
  {
    accountId: bigint('account_id', { mode: 'number' })
      .notNull()
      .references(() => accounts.id),
    userId: bigint('user_id', { mode: 'number' })
      .notNull()
      .references(() => users.id),
    /** What they may do: see admin/auth/permissions.ts. */
    role: text({ enum: ['owner', 'admin', 'finance', 'member', 'auditor'] }).notNull(),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.accountId, table.userId] }), index('memberships_user').on(table.userId)],
);

/** What an organization has chosen. Those that have chosen nothing have no row. */
export const organizationSettings = pgTable(
  'organization_settings',
  {
    accountId: bigint('account_id', { mode: 'number' })
      .primaryKey()
      .references(() => accounts.id),
    name: text(),
    /** An IANA name: where its days begin. */
    timeZone: text('time_zone').notNull().default('UTC'),
    /** What its members must have signed in with. */
    signInRule: text('sign_in_rule', { enum: ['none', 'second_factor', 'oidc'] })
      .notNull()
      .default('none'),
    /** Networks in CIDR notation from which its keys may be used; null for any. */
    allowedIps: text('allowed_ips').array(),
    /** What it demands of the providers that see its requests; null for nothing. */
    dataPolicy: jsonb('data_policy').$type<DataPolicy>(),
  },
  // Operators search for any part of it while they type.
  (table) => [index('organization_settings_name_search').using('gin', sql`lower(${table.name}) gin_trgm_ops`)],
);

/**
 * Accounts as people see them: a view of drizzle/0039_organizations.sql. The contact is the owner for the longest time, who gets
 * the account's mails; null if the account is deleted.
 */
export const organizations = pgView('organizations', {
  id: bigint({ mode: 'number' }).notNull(),
  /** Its own, or that of the company, or the contact's e-mail address. */
  name: text(),
  timeZone: text('time_zone').notNull(),
  contactId: bigint('contact_id', { mode: 'number' }),
  contactEmail: text('contact_email'),
}).existing();

/** Links by which people join an organization. At most one for an address can be used. */
export const invitations = pgTable(
  'invitations',
  {
    id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    accountId: bigint('account_id', { mode: 'number' })
      .notNull()
      .references(() => accounts.id),
    /** As the member who invites typed it. */
    email: text().notNull(),
    role: text({ enum: ['owner', 'admin', 'finance', 'member', 'auditor'] }).notNull(),
    tokenHash: text('token_hash').notNull(),
    invitedBy: bigint('invited_by', { mode: 'number' })
      .notNull()
      .references(() => users.id),
    expiresAt: timestamp('expires_at', { withTimezone: true }).notNull(),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
  },
  (table) => [
    uniqueIndex('invitations_hash_unique').on(table.tokenHash),
    uniqueIndex('invitations_address_unique').on(table.accountId, sql`lower(${table.email})`),
    index('invitations_expiry').on(table.expiresAt),
  ],
);

/** Single-use refresh tokens, stored hashed. Reusing one revokes its whole family. */
export const refreshTokens = pgTable(
  'refresh_tokens',
  {
    id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    userId: bigint('user_id', { mode: 'number' })
      .notNull()
      .references(() => users.id),
    /** The organization that the session is in; null for the user's home, and in tokens of versions before 0.2.0. */
    accountId: bigint('account_id', { mode: 'number' }),
    family: uuid().notNull(),
    /** The organization whose identity provider the session began with; null for a password or a passkey. */
    oidcAccountId: bigint('oidc_account_id', { mode: 'number' }),
    tokenHash: text('token_hash').notNull(),
    expiresAt: timestamp('expires_at', { withTimezone: true }).notNull(),
    usedAt: timestamp('used_at', { withTimezone: true }),
    revokedAt: timestamp('revoked_at', { withTimezone: true }),
    /** When the family's session began. Null in tokens of versions before 0.2.0. */
    beganAt: timestamp('began_at', { withTimezone: true }),
    /** The client that the token was given to: its network address, and what it calls itself. */
    address: text(),
    userAgent: text('user_agent'),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
  },
  (table) => [
    uniqueIndex('refresh_tokens_hash_unique').on(table.tokenHash),
    index('refresh_tokens_family').on(table.family),
    index('refresh_tokens_user').on(table.userId),
  ],
);
