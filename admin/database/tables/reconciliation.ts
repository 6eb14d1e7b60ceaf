/**
 * What reconciling found, run by run, and what was repaired. Repairs are append-only: triggers refuse DELETE, and every
 * UPDATE but one that takes a deleted operator's name out (see drizzle/0019_deleted_accounts.sql).
 */
import { bigint, boolean, index, integer, jsonb, pgTable, text, timestamp } from 'drizzle-orm/pg-core';

/** One run over all accounts. Rows are kept for a few weeks, to show since when something is wrong. */
export const reconciliations = pgTable(
  'reconciliations',
  {
    id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    finishedAt: timestamp('finished_at', { withTimezone: true }).notNull().defaultNow(),
    ok: boolean().notNull(),
    accounts: integer().notNull(),
    /** The run's full report; amounts are decimal strings of USD. */
    report: jsonb().notNull(),
  },
  (table) => [index('reconciliations_finished').on(table.finishedAt)],
);

/** A wallet in Redis that was set to the ledger's state. */
export const repairs = pgTable(
  'repairs',
  {
    id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    accountId: bigint('account_id', { mode: 'number' }).notNull(),
    /** The wallet's amounts as decimal strings of nano-USD. */
    before: jsonb().notNull(),
    after: jsonb().notNull(),
    reason: text().notNull(),
    /** The operator's name at the command line or in the API. */
    repairedBy: text('repaired_by').notNull(),
    /** The wallet's epoch and number of charges at that moment: faults up to this point are explained by the repair. */
    epoch: bigint({ mode: 'number' }).notNull(),
    walletSeq: bigint('wallet_seq', { mode: 'number' }).notNull(),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
  },
  (table) => [index('repairs_account').on(table.accountId, table.id)],
);
