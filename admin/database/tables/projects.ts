/** Projects of organizations: what proxy keys are used for. */
import { sql } from 'drizzle-orm';
import { bigint, index, pgTable, text, timestamp, uniqueIndex } from 'drizzle-orm/pg-core';
import { accounts } from './accounts.ts';

export const projects = pgTable(
  'projects',
  {
    id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    accountId: bigint('account_id', { mode: 'number' })
      .notNull()
      .references(() => accounts.id),
    name: text().notNull(),
    description: text(),
    /** Where the customer's accounting books what the project spends. */
    costCenter: text('cost_center'),
    /** Keys of an archived project are refused. It stays, because usage is attributed to it. */
    archivedAt: timestamp('archived_at', { withTimezone: true }),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
  },
  (table) => [
    uniqueIndex('projects_name_unique').on(table.accountId, sql`lower(${table.name})`).where(sql`archived_at is null`),
    index('projects_account').on(table.accountId, table.id),
  ],
);
