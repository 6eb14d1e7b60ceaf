/**
 * Erases the company details of deleted accounts once no document needs them any more: as soon as one names the company, or when the
 * month of the deletion has been over for a day and nothing is left to document. Until then the account's deletion keeps
 * them (admin/accounts/deletion/forget-company.ts).
 */
import { sql } from 'drizzle-orm';
import type { Db } from '../database/connect.ts';
import { lastDayOf } from '../lots/months.ts';

export interface Documented {
  /** The last month that has its documents. */
  readonly month: string;
  readonly billingTimeZone: string;
  /** Accounts whose documents could not be issued yet. */
  readonly due: readonly number[];
}

export async function forgetBuyers(db: Db, { month, billingTimeZone, due }: Documented): Promise<void> {
  await db.execute(sql`
    DELETE FROM company_details USING accounts
    WHERE accounts.id = company_details.account_id AND accounts.deleted_at IS NOT NULL AND (
      EXISTS (SELECT FROM documents WHERE documents.account_id = accounts.id)
      OR ((accounts.deleted_at AT TIME ZONE ${billingTimeZone})::date <= ${lastDayOf(month)}::date
        AND accounts.id <> ALL(${sql.param(due)}::bigint[])
        AND EXISTS (SELECT FROM lot_progress AS counted WHERE counted.account_id = accounts.id
          AND counted.spent_nano = accounts.spent_nano AND counted.credits = accounts.credit_seq)))`);
}
