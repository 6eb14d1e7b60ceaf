/** The INN of the company that an order by bank transfer is for: that of its invoice, or of the account's details. */
import { inArray, sql } from 'drizzle-orm';
import type { DbOrTransaction } from '../../database/connect.ts';
import { payments } from '../../database/tables/payments.ts';

/** Orders of which no INN is known are left out. */
export async function readOrderInns(
  db: DbOrTransaction,
  paymentIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (paymentIds.length === 0) return new Map();
  const rows = await db.execute<{ id: string; inn: string | null }>(sql`
    SELECT ${payments.id}, coalesce((
        SELECT data #>> '{buyer,inn}' FROM documents WHERE documents.payment_id = ${payments.id} AND type = 'invoice'
          AND NOT EXISTS (SELECT FROM documents AS correction WHERE correction.corrects_id = documents.id)),
      (SELECT inn FROM company_details AS company WHERE company.account_id = ${payments.accountId})) AS inn
    FROM ${payments} WHERE ${inArray(payments.id, [...paymentIds])}`);
  return new Map(rows.flatMap(({ id, inn }) => (inn === null ? [] : [[id, inn] as const])));
}

/** Whether both are known and differ. */
export function isOtherPayer({ payerInn }: { readonly payerInn: string }, orderInn: string | undefined): boolean {
  return payerInn !== '' && orderInn !== undefined && payerInn !== orderInn;
}
