/** Finds accounts by id, INN, the name of a company or an organization, or a member's name or address. Newest first. */
import { type SQL, sql } from 'drizzle-orm';
import { type NanoUsd, nanoUsd } from '../../shared/money.ts';
import type { DbOrTransaction } from '../database/connect.ts';
import type { companyDetails } from '../database/tables/company-details.ts';

export interface AccountSearch {
  /** Undefined for all accounts. Digits match a whole id or INN, anything else a part of a name or an address. */
  readonly text: string | undefined;
  readonly blocked: boolean | undefined;
  /** Only accounts older than this one, for the next page. */
  readonly beforeId: number | undefined;
  readonly limit: number;
}

type AccountType = (typeof companyDetails.$inferSelect)['accountType'];

export interface FoundAccount {
  readonly id: number;
  readonly createdAt: Date;
  /** Of the contact, or of who was erased with the account. */
  readonly email: string | null;
  readonly displayName: string | null;
  readonly role: string | null;
  readonly accountType: AccountType;
  /** Of the company, or the sole proprietor's own. */
  readonly companyName: string | null;
  readonly inn: string | null;
  readonly balanceNano: NanoUsd;
  readonly creditedNano: NanoUsd;
  readonly spentNano: NanoUsd;
  readonly blockedAt: Date | null;
  readonly deletedAt: Date | null;
}

interface Row extends Record<string, unknown> {
  readonly id: string;
  readonly createdAt: Date;
  readonly email: string | null;
  readonly displayName: string | null;
  readonly role: string | null;
  readonly accountType: AccountType | null;
  readonly companyName: string | null;
  readonly inn: string | null;
  readonly balanceNano: string;
  readonly creditedNano: string;
  readonly spentNano: string;
  readonly blockedAt: Date | null;
  readonly deletedAt: Date | null;
}

const digits = /^\d{1,15}$/;

export async function searchAccounts(db: DbOrTransaction, search: AccountSearch): Promise<FoundAccount[]> {
  const { text, blocked, beforeId, limit } = search;
  const conditions = [
    text === undefined ? undefined : matches(text),
    blocked === undefined ? undefined : sql`(account.blocked_at IS NOT NULL) = ${blocked}`,
    beforeId === undefined ? undefined : sql`account.id < ${beforeId}`,
  ].filter((condition) => condition !== undefined);
  return selectAccounts(
    db,
    sql`${sql.join([sql`true`, ...conditions], sql` AND `)} ORDER BY account.id DESC LIMIT ${limit}`,
  );
}

export async function findAccount(db: DbOrTransaction, accountId: number): Promise<FoundAccount | undefined> {
  const [account] = await selectAccounts(db, sql`account.id = ${accountId}`);
  return account;
}

async function selectAccounts(db: DbOrTransaction, condition: SQL): Promise<FoundAccount[]> {
  const rows = await db.execute<Row>(sql`
    SELECT account.id, account.created_at AS "createdAt", person.email, person.display_name AS "displayName",
      person.role, company.account_type AS "accountType",
      coalesce(company.company_name, company.full_name) AS "companyName", company.inn,
      account.balance_nano AS "balanceNano", account.credited_nano AS "creditedNano",
      account.spent_nano AS "spentNano", account.blocked_at AS "blockedAt",
      account.deleted_at AS "deletedAt"
    FROM accounts AS account
    LEFT JOIN organizations AS organization ON organization.id = account.id
    LEFT JOIN users AS person ON person.id = coalesce(
      organization.contact_id, (SELECT id FROM users WHERE account_id = account.id ORDER BY id LIMIT 1))
    LEFT JOIN company_details AS company ON company.account_id = account.id
    WHERE ${condition}`);
  return rows.map((row) => ({
    ...row,
    id: Number(row.id),
    accountType: row.accountType ?? 'INDIVIDUAL',
    balanceNano: nanoUsd(BigInt(row.balanceNano)),
    creditedNano: nanoUsd(BigInt(row.creditedNano)),
    spentNano: nanoUsd(BigInt(row.spentNano)),
  }));
}

/**
 * By indexes of trigrams, which find any part of at least three characters. Wildcards in the text stand for themselves. A
 * database whose character type is C has no trigrams of other than ASCII letters, and reads all rows for them. As an array, because
 * Postgres would otherwise walk through all accounts, newest first, where it overestimates the matches.
 */
function matches(text: string): SQL {
  if (digits.test(text)) {
    return sql`account.id IN (SELECT ${text}::bigint UNION ALL SELECT account_id FROM company_details WHERE inn = ${text})`;
  }
  const part = `%${text.toLowerCase().replaceAll(/[\\%_]/g, '\\$&')}%`;
  return sql`account.id = ANY(ARRAY(
    SELECT memberships.account_id FROM users JOIN memberships ON user_id = users.id WHERE lower(email) LIKE ${part}
    UNION ALL SELECT memberships.account_id FROM users JOIN memberships ON user_id = users.id
      WHERE lower(display_name) LIKE ${part}
    UNION ALL SELECT account_id FROM organization_settings WHERE lower(name) LIKE ${part}
    UNION ALL SELECT account_id FROM company_details
      WHERE lower(coalesce(company_name, full_name)) LIKE ${part}
  ))`;
}
