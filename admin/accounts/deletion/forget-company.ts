/**
 * Erases the company details of an account that is deleted, unless they are still needed: what the company used and paid for
 * is to be documented, and no document names it yet. Then admin/documents/forget-buyers.ts erases them afterwards.
 */
import { sql } from 'drizzle-orm';
import type { Transaction } from '../../database/connect.ts';
import { hasDetails } from '../profile/complete-company.ts';

export async function forgetCompany(transaction: Transaction, accountId: number): Promise<void> {
  await transaction.execute(sql`
    DELETE FROM company_details USING accounts
    WHERE company_details.account_id = ${accountId} AND accounts.id = company_details.account_id AND NOT (
      ${hasDetails}
      AND EXISTS (SELECT FROM payments WHERE payments.account_id = accounts.id AND payments.transaction_id IS NOT NULL)
      AND NOT EXISTS (SELECT FROM documents WHERE documents.account_id = accounts.id))`);
}
