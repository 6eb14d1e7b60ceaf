/**
 * Takes what is personal out of the payments of an account that was just deleted: what providers and banks said of the
 * payer, and the saved cards. Amounts, days and the providers' ids stay, as the ledger's evidence.
 */
import { and, eq, inArray, sql } from 'drizzle-orm';
import type { User } from '../../auth/create-user.ts';
import type { Transaction } from '../../database/connect.ts';
import { autoTopUpConsents, autoTopUps, savedCards } from '../../database/tables/auto-top-ups.ts';
import { bankLines } from '../../database/tables/bank-lines.ts';
import { paymentEvents, payments } from '../../database/tables/payments.ts';

/** Someone who is erased may have ordered for other organizations, too, whose payments stay as they are otherwise. */
export async function forgetAsPayers(
  transaction: Transaction,
  { accountIds, people }: { accountIds: readonly number[]; people: readonly Pick<User, 'email'>[] },
): Promise<void> {
  const emails = people.map(({ email }) => email.toLowerCase());
  if (accountIds.length === 0) return;
  await transaction
    .update(payments)
    .set({ email: '' })
    .where(and(inArray(payments.accountId, [...accountIds]), inArray(sql`lower(${payments.email})`, emails)));
}

/** The account is marked as deleted already: triggers keep the events of all others as they are. */
export async function forgetPayers(transaction: Transaction, accountId: number): Promise<void> {
  const own = transaction.select({ id: payments.id }).from(payments).where(eq(payments.accountId, accountId));
  await transaction.update(paymentEvents).set({ body: '' }).where(inArray(paymentEvents.paymentId, own));
  await transaction
    .update(bankLines)
    .set({ payerInn: '', payerName: '', purpose: '' })
    .where(inArray(bankLines.paymentId, own));
  await transaction.update(payments).set({ email: '' }).where(eq(payments.accountId, accountId));
  await transaction.delete(autoTopUps).where(eq(autoTopUps.accountId, accountId));
  await transaction
    .update(savedCards)
    .set({ reference: null, customer: null, title: null })
    .where(eq(savedCards.accountId, accountId));
  await transaction.update(autoTopUpConsents).set({ address: null }).where(eq(autoTopUpConsents.accountId, accountId));
}
