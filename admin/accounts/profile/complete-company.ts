/** Which company details accounting documents need. */
import { and, eq, isNotNull, or, type SQL, sql } from 'drizzle-orm';
import { companyDetails } from '../../database/tables/company-details.ts';
import { type CompanyField, fieldsOf } from './company-fields.ts';

const optional: readonly CompanyField[] = ['actualAddress'];
export const requiredOf = (type: 'OOO' | 'IP') => fieldsOf[type].filter((field) => !optional.includes(field));

/** Of rows of `accounts`: whether their company details are complete. */
export const hasDetails = sql`EXISTS (
  SELECT FROM company_details WHERE company_details.account_id = accounts.id AND ${or(isComplete('OOO'), isComplete('IP'))})`;

function isComplete(type: 'OOO' | 'IP'): SQL | undefined {
  return and(
    eq(companyDetails.accountType, type),
    ...requiredOf(type).map((field) => isNotNull(companyDetails[field])),
  );
}
