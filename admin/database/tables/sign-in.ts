/** How people prove who they are besides their password: a second factor of their own, or their organization's identity provider. */
import { sql } from 'drizzle-orm';
import { bigint, index, integer, pgTable, primaryKey, text, timestamp, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import { accounts, users } from './accounts.ts';

const userOf = () =>
  bigint('user_id', { mode: 'number' })
    .notNull()
    .references(() => users.id);
const accountOf = () =>
  bigint('account_id', { mode: 'number' })
    .notNull()
    .references(() => accounts.id);
const createdAt = () => timestamp('created_at', { withTimezone: true }).notNull().defaultNow();

/** One authenticator app of a user. */
export const totpFactors = pgTable('totp_factors', {
  userId: bigint('user_id', { mode: 'number' })
    .primaryKey()
    .references(() => users.id),
  /** Sealed with a key derived from KEY_PEPPER (admin/auth/sealed-secret.ts). */
  sealedSecret: text('sealed_secret').notNull(),
  /** Until then it is only being set up; null before its first code. */
  confirmedAt: timestamp('confirmed_at', { withTimezone: true }),
  /** The time step of the last code that was accepted: no code is accepted twice. */
  lastStep: bigint('last_step', { mode: 'number' }),
  createdAt: createdAt(),
});

/** WebAuthn credentials. */
export const passkeys = pgTable(
  'passkeys',
  {
    id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    userId: userOf(),
    /** base64url, as the public key. */
    credentialId: text('credential_id').notNull(),
    publicKey: text('public_key').notNull(),
    /** As its authenticator counts; 0 for those that do not. */
    signCount: bigint('sign_count', { mode: 'number' }).notNull(),
    /** How a browser can reach it. */
    transports: text().array().notNull(),
    name: text().notNull(),
    lastUsedAt: timestamp('last_used_at', { withTimezone: true }),
    createdAt: createdAt(),
  },
  (table) => [
    uniqueIndex('passkeys_credential_unique').on(table.credentialId),
    index('passkeys_user').on(table.userId),
  ],
);

/** Of each user who has a second factor, at most ten. */
export const recoveryCodes = pgTable(
  'recovery_codes',
  {
    id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    userId: userOf(),
    codeHash: text('code_hash').notNull(),
    usedAt: timestamp('used_at', { withTimezone: true }),
    createdAt: createdAt(),
  },
  (table) => [uniqueIndex('recovery_codes_unique').on(table.userId, table.codeHash)],
);

/** What people are asked to prove: a log-in whose password was right, who they are before they change factors, a new passkey. */
export const factorChallenges = pgTable(
  'factor_challenges',
  {
    id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    tokenHash: text('token_hash').notNull(),
    /** Null for a log-in with a passkey alone, which names its user. */
    userId: bigint('user_id', { mode: 'number' }).references(() => users.id),
    purpose: text({ enum: ['log_in', 'confirm', 'add_passkey'] }).notNull(),
    /** Of a log-in: the password that was right. */
    passwordHash: text('password_hash'),
    /** What an authenticator signs, base64url. */
    webauthnChallenge: text('webauthn_challenge').notNull(),
    /** Wrong codes, of a limited number. */
    attempts: integer().notNull().default(0),
    usedAt: timestamp('used_at', { withTimezone: true }),
    /** The session that began with it, or was confirmed by it. */
    sessionId: uuid('session_id'),
    expiresAt: timestamp('expires_at', { withTimezone: true }).notNull(),
    createdAt: createdAt(),
  },
  (table) => [
    uniqueIndex('factor_challenges_hash_unique').on(table.tokenHash),
    index('factor_challenges_session').on(table.sessionId),
    index('factor_challenges_user').on(table.userId, table.createdAt),
    index('factor_challenges_expiry').on(table.expiresAt),
  ],
);

/** The identity provider of an organization (OpenID Connect). */
export const oidcProviders = pgTable('oidc_providers', {
  accountId: bigint('account_id', { mode: 'number' })
    .primaryKey()
    .references(() => accounts.id),
  issuer: text().notNull(),
  clientId: text('client_id').notNull(),
  /** Sealed as the secret of an authenticator app. */
  sealedSecret: text('sealed_secret').notNull(),
  /** When someone last signed in with these settings to test them; null if no one has. */
  testedAt: timestamp('tested_at', { withTimezone: true }),
  createdAt: createdAt(),
});

/** Domains whose addresses an organization's provider may vouch for, once they are proven by a DNS record. */
export const organizationDomains = pgTable(
  'organization_domains',
  {
    id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    accountId: accountOf(),
    /** Lower case. */
    domain: text().notNull(),
    /** What the DNS record must have. */
    token: text().notNull(),
    provenAt: timestamp('proven_at', { withTimezone: true }),
    createdAt: createdAt(),
  },
  (table) => [
    uniqueIndex('organization_domains_unique').on(table.accountId, table.domain),
    uniqueIndex('organization_domains_proven').on(table.domain).where(sql`${table.provenAt} is not null`),
  ],
);

/** Who a provider's subject is. */
export const oidcIdentities = pgTable(
  'oidc_identities',
  {
    accountId: accountOf(),
    issuer: text().notNull(),
    subject: text().notNull(),
    userId: userOf(),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.accountId, table.issuer, table.subject] }),
    index('oidc_identities_user').on(table.userId),
  ],
);

/** Sign-ins that are at the provider. */
export const oidcSignIns = pgTable(
  'oidc_sign_ins',
  {
    id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    accountId: accountOf(),
    stateHash: text('state_hash').notNull(),
    /** Of a cookie: the provider's answer counts only in the browser that was sent there. */
    browserHash: text('browser_hash').notNull(),
    nonce: text().notNull(),
    codeVerifier: text('code_verifier').notNull(),
    /** Who tests the settings; null for a log-in. */
    testedBy: bigint('tested_by', { mode: 'number' }).references(() => users.id),
    usedAt: timestamp('used_at', { withTimezone: true }),
    expiresAt: timestamp('expires_at', { withTimezone: true }).notNull(),
    createdAt: createdAt(),
  },
  (table) => [
    uniqueIndex('oidc_sign_ins_state_unique').on(table.stateHash),
    index('oidc_sign_ins_expiry').on(table.expiresAt),
  ],
);
