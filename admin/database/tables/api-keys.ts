/**
 * API keys, as HMAC only. Every change increments `version`, so that Redis never replaces a newer state with an older
 * one.
 */
import { sql } from 'drizzle-orm';
import {
  bigint,
  boolean,
  index,
  integer,
  jsonb,
  pgTable,
  text,
  timestamp,
  unique,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core';
import type { DataPolicy } from '../../../shared/keys/data-policy.ts';
import { perRateLimit } from '../../../shared/limits/rate-limits.ts';
import { spendLimits } from '../../../shared/limits/spend-limits.ts';
import { recordOf } from '../../../shared/members.ts';
import { accounts, users } from './accounts.ts';
import { projects } from './projects.ts';

export const apiKeys = pgTable(
  'api_keys',
  {
    id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    accountId: bigint('account_id', { mode: 'number' })
      .notNull()
      .references(() => accounts.id),
    kind: text({ enum: ['proxy', 'billing'] }).notNull(),
    name: text().notNull(),
    /** The first 11 characters of the key. */
    prefix: text().notNull(),
    /** How the key is found. It changes when the key is used after KEY_PEPPER was replaced. */
    hash: text().notNull(),
    /** Which pepper the hash was made with, by its mark; null for keys of releases that had one pepper. */
    pepperMark: text('pepper_mark'),
    /** The hash that the key was created with, if it was hashed again: counters under it continue. */
    firstHash: text('first_hash'),
    /** The hash before, which Redis knows for a while: programs that found the key by it may still use it. */
    formerHash: text('former_hash'),
    rehashedAt: timestamp('rehashed_at', { withTimezone: true }),
    active: boolean().notNull().default(true),
    expiresAt: timestamp('expires_at', { withTimezone: true }),
    /** Models that the key may use; null means all. */
    allowedModels: text('allowed_models').array(),
    /** Networks in CIDR notation from which the key may be used; null for any. */
    allowedIps: text('allowed_ips').array(),
    /** What the key demands of the providers that see its requests; null for nothing. */
    dataPolicy: jsonb('data_policy').$type<DataPolicy>(),
    /** How long responses to exact repetitions are given again; null if they are not. */
    cacheSeconds: integer('cache_seconds'),
    /** What the key may spend; null means no limit. */
    ...recordOf(spendLimits, ({ property, column }) => [property, bigint(column, { mode: 'bigint' })]),
    /** Null means the proxy's default, 0 no limit. */
    ...perRateLimit(({ column }) => bigint(column, { mode: 'number' })),
    /** The session that the key was made for, and ends with: the key of its playground. Null for keys that people manage. */
    sessionId: uuid('session_id'),
    /** The user who created it, and whose it is; null for keys of versions before 0.2.0, and for those that a billing key creates. */
    createdBy: bigint('created_by', { mode: 'number' }).references(() => users.id),
    projectId: bigint('project_id', { mode: 'number' }).references(() => projects.id),
    /** What its charges are attributed to, of `key_assignments`; null for a key that was never moved. */
    assignmentId: bigint('assignment_id', { mode: 'number' }),
    version: integer().notNull().default(1),
    /** A deleted key stays as a row, because ledger lines refer to it; its hash is no longer accepted. */
    deletedAt: timestamp('deleted_at', { withTimezone: true }),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
  },
  (table) => [
    uniqueIndex('api_keys_hash_unique').on(table.hash),
    index('api_keys_project').on(table.projectId),
    index('api_keys_account').on(table.accountId, table.kind, table.id),
    uniqueIndex('api_keys_session')
      .on(table.sessionId)
      .where(sql`${table.sessionId} is not null and ${table.deletedAt} is null`),
  ],
);

/**
 * In which project a key has been, and whose: what its charges are attributed to. A key that was never moved has no row; its
 * charges carry the key's own id. A row never changes, so charges of the past stay where they were made.
 */
export const keyAssignments = pgTable(
  'key_assignments',
  {
    /** The key's own id, or another number of the sequence of `api_keys`. */
    id: bigint({ mode: 'number' }).primaryKey(),
    keyId: bigint('key_id', { mode: 'number' })
      .notNull()
      .references(() => apiKeys.id),
    projectId: bigint('project_id', { mode: 'number' }).references(() => projects.id),
    userId: bigint('user_id', { mode: 'number' }).references(() => users.id),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
  },
  (table) => [unique('key_assignments_unique').on(table.keyId, table.projectId, table.userId).nullsNotDistinct()],
);
