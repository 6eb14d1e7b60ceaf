/** Stores an account's company details. */
import { eq, sql } from 'drizzle-orm';
import { subjectOf } from '../../database/advisory-locks.ts';
import type { Db, DbOrTransaction } from '../../database/connect.ts';
import { refuseDeleted } from '../../database/rows/account-state.ts';
import { lockAccount } from '../../database/rows/lock-account.ts';
import { companyDetails } from '../../database/tables/company-details.ts';
import { type Actor, recordAction } from '../../operations/audit/record-action.ts';
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
  /** Fields whose values were dropped because the account type has changed. */
  readonly dropped: CompanyField[];
}

/** `change` returns the new details from the old ones, under a lock. If it throws, nothing changes. */
export function changeCompany(
  db: Db,
  actor: Actor,
  accountId: number,
  change: (before: CompanyDetails) => CompanyDetails,
): Promise<ChangedCompany> {
  return db.transaction(async (transaction) => {
    // There may be no row to lock yet, and two concurrent changes must not both report the same dropped fields.
    await transaction.execute(
      sql`SELECT pg_advisory_xact_lock(hashtextextended(${subjectOf('company', accountId)}, 0))`,
    );
    // A deletion of the account and this change wait for each other.
    await lockAccount(transaction, accountId);
    await refuseDeleted(transaction, accountId);
    const before = await readCompany(transaction, accountId);
    const details = change(before);
    const row = { accountType: details.accountType, ...details.values, updatedAt: sql`now()` };
    await transaction
      .insert(companyDetails)
      .values({ accountId, ...row })
      .onConflictDoUpdate({ target: companyDetails.accountId, set: row });
    const changed = Object.keys(before.values)
      .filter(isCompanyField)
      .filter((field) => before.values[field] !== details.values[field]);
    // Not the values: they may be a person's.
    await recordAction(transaction, actor, {
      action: 'company.update',
      subject: `account ${accountId}`,
      accountId,
      before: { accountType: before.accountType },
      after: { accountType: details.accountType, changed },
    });
    const lost = (field: CompanyField) => before.values[field] !== null && details.values[field] === null;
    const dropped = Object.keys(before.values).filter(isCompanyField).filter(lost);
    return { details, dropped: before.accountType === details.accountType ? [] : dropped };
  });
}
