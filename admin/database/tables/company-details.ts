/**
 * Whom accounting documents are issued to. An account without a row is an individual. Columns of the other account
 * type are null.
 */
import { sql } from 'drizzle-orm';
import { bigint, index, pgTable, text, timestamp } from 'drizzle-orm/pg-core';
import { accounts } from './accounts.ts';

export const companyDetails = pgTable(
  'company_details',
  {
    accountId: bigint('account_id', { mode: 'number' })
      .primaryKey()
      .references(() => accounts.id),
    accountType: text('account_type', { enum: ['INDIVIDUAL', 'OOO', 'IP'] }).notNull(),
    companyName: text('company_name'),
    fullName: text('full_name'),
    inn: text(),
    kpp: text(),
    ogrn: text(),
    ogrnip: text(),
    legalAddress: text('legal_address'),
    actualAddress: text('actual_address'),
    address: text(),
    directorName: text('director_name'),
    bankName: text('bank_name'),
    bik: text(),
    checkingAccount: text('checking_account'),
    correspondentAccount: text('correspondent_account'),
    updatedAt: timestamp('updated_at', { withTimezone: true }).notNull().defaultNow(),
  },
  (table) => [
    index('company_details_inn').on(table.inn),
    index('company_details_name_search').using(
      'gin',
      sql`lower(coalesce(${table.companyName}, ${table.fullName})) gin_trgm_ops`,
    ),
  ],
);
