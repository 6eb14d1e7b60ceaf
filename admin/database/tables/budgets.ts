/** What may be spent in a period by a member, by a project, or by the whole organization. Those of keys are columns of `api_keys`. */
import { sql } from 'drizzle-orm';
import { bigint, pgTable, smallint, text, timestamp, unique } from 'drizzle-orm/pg-core';
import type { SpendLimitName } from '../../../shared/limits/spend-limits.ts';
import { accounts } from './accounts.ts';

export const budgets = pgTable(
  'budgets',
  {
    id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    accountId: bigint('account_id', { mode: 'number' })
      .notNull()
      .references(() => accounts.id),
    /** Of budget-levels.ts, but for keys. */
    level: text({ enum: ['member', 'project', 'organization'] }).notNull(),
    /** A user, a project, or the account itself. */
    scopeId: bigint('scope_id', { mode: 'number' }).notNull(),
    period: text().$type<SpendLimitName>().notNull(),
    amountNano: bigint('amount_nano', { mode: 'bigint' }).notNull(),
    /** At which percentages of the amount a mail is sent, in ascending order. */
    alertsAt: smallint('alerts_at').array().notNull(),
    /** When the period began that `spentNano` is of, by its charges; null if what was spent has to be added up again. */
    windowStart: timestamp('window_start', { withTimezone: true }),
    /** What was booked in it, for alerts. */
    spentNano: bigint('spent_nano', { mode: 'bigint' }).notNull().default(sql`0`),
    /** The highest threshold that a mail was sent for in it. */
    alertedPercent: smallint('alerted_percent').notNull().default(0),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
  },
  (table) => [unique('budgets_unique').on(table.accountId, table.level, table.scopeId, table.period)],
);
