/** Keeps an account's company details. */
import { eq, sql } from 'drizzle-orm';
import { companyDetails } from '../../shared/tables/company-details.ts';
import { lockAccount } from '../accounts/lock-account.ts';
import { refuseDeleted } from '../accounts/refuse-deleted.ts';
import { subjectOf } from '../database/advisory-locks.ts';
import type { Db, DbOrTransaction } from '../database/connect.ts';
import { type CompanyDetails, type CompanyField, isCompanyField, noValues } from './company-fields.ts';

/** An account that never said anything is an individual. */
export async function readCompany(db: DbOrTransaction, accountId: number): Promise<CompanyDetails> {
  const [row] = await db.select().from(companyDetails).where(eq(companyDetails.accountId, accountId));
  if (row === undefined) return { accountType: 'INDIVIDUAL', values: noValues };
  const { accountId: _account, updatedAt: _updated, accountType, ...values } = row;
  return { accountType, values };
}

export interface ChangedCompany {
  readonly details: CompanyDetails;
  /** Fields that had a value and have none any more because the account has another type. */
  readonly dropped: CompanyField[];
}

/** `change` makes the new details of the old ones; nobody else changes them meanwhile. What it throws undoes it. */
export function changeCompany(
  db: Db,
  accountId: number,
  change: (before: CompanyDetails) => CompanyDetails,
): Promise<ChangedCompany> {
  return db.transaction(async (transaction) => {
    // There may be no row to lock yet, and two changes at once must not both say that they dropped something.
    await transaction.execute(
      sql`SELECT pg_advisory_xact_lock(hashtextextended(${subjectOf('company', accountId)}, 0))`,
    );
    // Whoever deletes the account waits until this is over, and this until that is.
    await lockAccount(transaction, accountId);
    await refuseDeleted(transaction, accountId);
    const before = await readCompany(transaction, accountId);
    const details = change(before);
    const row = { accountType: details.accountType, ...details.values, updatedAt: sql`now()` };
    await transaction
      .insert(companyDetails)
      .values({ accountId, ...row })
      .onConflictDoUpdate({ target: companyDetails.accountId, set: row });
    const lost = (field: CompanyField) => before.values[field] !== null && details.values[field] === null;
    const dropped = Object.keys(before.values).filter(isCompanyField).filter(lost);
    return { details, dropped: before.accountType === details.accountType ? [] : dropped };
  });
}
