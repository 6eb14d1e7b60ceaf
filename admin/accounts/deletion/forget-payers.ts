/**
 * Takes what is personal out of the payments of an account that was just deleted: what providers and banks said of the
 * payer, and the saved cards. Amounts, days and the providers' ids stay, as the ledger's evidence.
 */
import { and, eq, inArray, ne, sql } from 'drizzle-orm';
import type { User } from '../../auth/create-user.ts';
import type { Transaction } from '../../database/connect.ts';
import { autoTopUpConsents, autoTopUps, savedCards } from '../../database/tables/auto-top-ups.ts';
import { bankLines } from '../../database/tables/bank-lines.ts';
import { paymentEvents, payments } from '../../database/tables/payments.ts';

/**
 * Someone who is erased may have ordered for other organizations, too, also for those that they have left before. From now on receipts
 * of these go where the organization gets its mails. Call it once they belong to none any more.
 */
export async function forgetAsPayers(transaction: Transaction, people: readonly Pick<User, 'email'>[]): Promise<void> {
  const emails = people.map(({ email }) => email.toLowerCase());
  const contact = sql`SELECT contact_email FROM organizations WHERE organizations.id = payments.account_id`;
  await transaction
    .update(payments)
    .set({ email: sql`coalesce((${contact}), '')` })
    .where(and(inArray(sql`lower(${payments.email})`, emails), ne(payments.email, '')));
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
