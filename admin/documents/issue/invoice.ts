/** Счёт на оплату: made in the transaction of the order that it is for, one per order. */
import { rubKopecks } from '../../../shared/money.ts';
import type { Transaction } from '../../database/connect.ts';
import { dayOf } from '../../lots/months.ts';
import type { InvoiceData, Party, Vat } from '../document-data.ts';
import { type Issuing, roubles, taxOf } from '../document-services.ts';
import { shortDate } from '../render/text/dates.ts';
import { issueDocument } from './issue-document.ts';

export interface InvoiceInput {
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
  { accountId, paymentId, buyer, amountMinor, expiresAt }: InvoiceInput,
): Promise<void> {
  const kopecks = rubKopecks(amountMinor);
  const date = dayOf(now, billingTimeZone);
  const tax = taxOf(seller, { kopecks, date });
  await issueDocument(transaction, {
    accountId,
    type: 'invoice',
    date,
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
      purpose: purposeOf(numbered, tax.vat),
      validUntil: dayOf(expiresAt, billingTimeZone),
    }),
  });
}

/** What the payer writes into the order. */
export function purposeOf({ number, date }: Pick<InvoiceData, 'number' | 'date'>, vat: Vat | undefined): string {
  const taxed = vat === undefined ? 'НДС не облагается' : `В том числе НДС ${vat.rate}% ${vat.amount} руб.`;
  return `Оплата по счёту № ${number} от ${shortDate(date)}. ${taxed}`;
}
