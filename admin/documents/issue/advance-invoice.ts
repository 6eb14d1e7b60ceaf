/** Счёт-фактура на аванс: if the seller pays VAT, one per received payment, dated the day it arrived. */
import { and, eq } from 'drizzle-orm';
import { rubKopecks } from '../../../shared/money.ts';
import type { Transaction } from '../../database/connect.ts';
import { lockPayment } from '../../database/rows/payment.ts';
import { documents } from '../../database/tables/documents.ts';
import { dayOf } from '../../lots/months.ts';
import { type Issuing, roubles, taxOf } from '../document-services.ts';
import { requireBuyer } from './buyer.ts';
import { topUpService } from './invoice.ts';
import { issueDocument } from './issue-document.ts';

/** Returns whether it was made now. Throws GatewayError `company_details_missing`. */
export async function issueAdvanceInvoice(
  transaction: Transaction,
  { seller, billingTimeZone }: Issuing,
  paymentId: string,
): Promise<boolean> {
  const { payment } = await lockPayment(transaction, paymentId);
  const { paidAt, accountId } = payment;
  const kopecks = rubKopecks(payment.rubKopecks);
  if (payment.transactionId === null || paidAt === null) return false;
  const date = dayOf(paidAt, billingTimeZone);
  const { vat } = taxOf(seller, { kopecks, date });
  if (vat === undefined) return false;
  const made = await transaction
    .select({ id: documents.id })
    .from(documents)
    .where(and(eq(documents.paymentId, paymentId), eq(documents.type, 'advance_invoice')));
  if (made.length > 0) return false;
  const buyer = await requireBuyer(transaction, accountId);
  await issueDocument(transaction, {
    accountId,
    type: 'advance_invoice',
    date,
    amountKopecks: kopecks,
    paymentId,
    write: (numbered) => ({
      type: 'advance_invoice',
      ...numbered,
      seller: seller.party,
      buyer,
      service: topUpService,
      amount: roubles(kopecks),
      vat,
      payment: { reference: payment.providerReference ?? payment.id, date },
    }),
  });
  return true;
}
