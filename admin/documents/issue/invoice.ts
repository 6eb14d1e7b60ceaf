/** Счёт на оплату: made in the transaction of the order that it is for, one per order. */
import { rubKopecks } from '../../../shared/money.ts';
import type { Transaction } from '../../database/connect.ts';
import { dayOf } from '../../lots/months.ts';
import { russianDate } from '../document.ts';
import type { Party } from '../document-data.ts';
import { type Issuing, roubles, taxOf } from '../document-services.ts';
import { issueDocument } from './issue-document.ts';

export interface InvoiceOrder {
  readonly accountId: number;
  readonly paymentId: string;
  readonly buyer: Party;
  /** In roubles. */
  readonly amountMinor: bigint;
  readonly expiresAt: Date;
}

/** What is paid for in advance. */
export const topUpService = 'Предоплата за услуги доступа к языковым моделям через API';

export async function issueInvoice(
  transaction: Transaction,
  { seller, billingTimeZone, now }: Issuing,
  { accountId, paymentId, buyer, amountMinor, expiresAt }: InvoiceOrder,
): Promise<void> {
  const kopecks = rubKopecks(amountMinor);
  const tax = taxOf(seller, kopecks);
  const taxed =
    tax.vat === undefined ? 'НДС не облагается' : `В том числе НДС ${tax.vat.rate}% ${tax.vat.amount} руб.`;
  await issueDocument(transaction, {
    accountId,
    type: 'invoice',
    date: dayOf(now, billingTimeZone),
    amountKopecks: kopecks,
    paymentId,
    write: (numbered) => ({
      type: 'invoice',
      ...numbered,
      seller: seller.party,
      buyer,
      service: topUpService,
      amount: roubles(kopecks),
      ...tax,
      purpose: `Оплата по счёту № ${numbered.number} от ${russianDate(numbered.date)}. ${taxed}`,
      validUntil: dayOf(expiresAt, billingTimeZone),
    }),
  });
}
