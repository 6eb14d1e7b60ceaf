/**
 * Акт сверки: the payments, returns and services of a period, and the balance before and after it. Money counts on the
 * day it moved, and as what moved: a chargeback counts in full even where the wallet had less, and one that was won counts
 * as paid again. Services count with their acts, so those that are missing until the end of the period are issued first, or
 * with the receipts of the time in which the buyer was a private customer.
 */
import { and, eq, inArray, isNotNull, lte, ne, not } from 'drizzle-orm';
import { GatewayError } from '../../../shared/errors.ts';
import { rubKopecks } from '../../../shared/money.ts';
import type { Transaction } from '../../database/connect.ts';
import type { Payment } from '../../database/rows/payment.ts';
import { documents } from '../../database/tables/documents.ts';
import { offsetReceipts } from '../../database/tables/offset-receipts.ts';
import { paymentRefunds, payments } from '../../database/tables/payments.ts';
import { dayOf, lastDayOf, monthBefore, monthOf } from '../../lots/months.ts';
import { centsToUsd, kopecksOfPart, minorUnits } from '../../money/payment-money.ts';
import { type Document, isCorrected, titleOfStored } from '../document.ts';
import type { ReconciliationData } from '../document-data.ts';
import { type Issuing, roubles } from '../document-services.ts';
import { requireBuyer } from '../issue/buyer.ts';
import { issueDocument } from '../issue/issue-document.ts';
import { issueServices } from './month-services.ts';

export interface PeriodOfAccount {
  readonly accountId: number;
  /** First and last day. */
  readonly period: { readonly from: string; readonly to: string };
}

interface Line {
  readonly date: string;
  readonly description: string;
  readonly kind: ReconciliationData['lines'][number]['kind'];
  readonly kopecks: bigint;
}

/** Throws GatewayError `invalid_parameter` or `company_details_missing`. */
export async function issueReconciliation(
  transaction: Transaction,
  issuing: Issuing,
  { accountId, period }: PeriodOfAccount,
): Promise<Document> {
  const { seller, billingTimeZone, now } = issuing;
  const date = dayOf(now, billingTimeZone);
  if (period.from > period.to) throw periodReversed();
  if (period.to > date) throw periodNotOver(date);
  const buyer = await requireBuyer(transaction, accountId);
  await issueServices(transaction, issuing, { accountId, month: lastWholeMonth(period.to, issuing) });
  const lines = await readLines(transaction, issuing, { accountId, period });
  const opening = balanceOf(lines.filter((line) => line.date < period.from));
  const within = lines.filter((line) => line.date >= period.from);
  const closing = opening + balanceOf(within);
  return issueDocument(transaction, {
    accountId,
    type: 'reconciliation',
    date,
    period,
    amountKopecks: rubKopecks(closing),
    write: (numbered) => ({
      type: 'reconciliation',
      ...numbered,
      seller: seller.party,
      buyer,
      period,
      opening: roubles(opening),
      closing: roubles(closing),
      lines: within.map(({ kopecks, ...line }) => ({ ...line, amount: roubles(kopecks) })),
    }),
  });
}

/** The last month that ends within the period and is over. */
function lastWholeMonth(to: string, { now, billingTimeZone }: Issuing): string {
  const month = `${to.slice(0, 7)}-01`;
  const isWhole = to === lastDayOf(month) && month < monthOf(now, billingTimeZone);
  return isWhole ? month : monthBefore(month);
}

/** What the buyer has paid in advance. */
function balanceOf(lines: readonly Line[]): bigint {
  return lines.reduce((sum, { kind, kopecks }) => (kind === 'paid' ? sum + kopecks : sum - kopecks), 0n);
}

/** Until the end of the period, in the order of days; on one day, payments come before what they are used for. */
async function readLines(transaction: Transaction, issuing: Issuing, about: PeriodOfAccount): Promise<Line[]> {
  const lines = [
    ...(await readMoney(transaction, issuing, about.accountId)),
    ...(await readReceipts(transaction, about.accountId)),
    ...(await readActs(transaction, about)),
  ];
  return lines
    .filter(({ date }) => date <= about.period.to)
    .sort((one, other) => (one.date < other.date ? -1 : one.date > other.date ? 1 : 0));
}

async function readMoney(transaction: Transaction, { billingTimeZone }: Issuing, accountId: number): Promise<Line[]> {
  const paid = await transaction
    .select()
    .from(payments)
    .where(and(eq(payments.accountId, accountId), isNotNull(payments.transactionId)))
    .orderBy(payments.paidAt, payments.id);
  const refunds = await transaction
    .select({ refund: paymentRefunds })
    .from(paymentRefunds)
    .innerJoin(payments, eq(payments.id, paymentRefunds.paymentId))
    .where(
      and(
        eq(payments.accountId, accountId),
        eq(paymentRefunds.status, 'succeeded'),
        // Nothing moves when the rest of a reversal is collected.
        ne(paymentRefunds.kind, 'collected'),
      ),
    )
    .orderBy(paymentRefunds.finishedAt, paymentRefunds.id);
  const byPayment = Map.groupBy(refunds, ({ refund }) => refund.paymentId);
  const dayAt = (instant: Date | null) => dayOf(instant ?? new Date(0), billingTimeZone);
  const payIns = paid.map((payment): Line => {
    const description = `Оплата, платёж ${referenceOf(payment)}`;
    return { date: dayAt(payment.paidAt), kind: 'paid', description, kopecks: payment.rubKopecks };
  });
  const returns = paid.flatMap((payment) => {
    let returned = 0n;
    return (byPayment.get(payment.id) ?? []).map(({ refund }): Line => {
      const isRestored = refund.kind === 'restored';
      const before = roublesReturned(payment, returned);
      returned += isRestored ? -refund.amountMinor : refund.amountMinor;
      const moved = roublesReturned(payment, returned) - before;
      const date = dayAt(refund.finishedAt);
      return isRestored
        ? { date, kind: 'paid', description: `Отмена возврата по платежу ${referenceOf(payment)}`, kopecks: -moved }
        : { date, kind: 'returned', description: `Возврат по платежу ${referenceOf(payment)}`, kopecks: moved };
    });
  });
  return [...payIns, ...returns];
}

/** The roubles of the last cents of a payment that went back, at its own rate: as refunds shorten its lot. */
function roublesReturned({ currency, amountMinor, rubKopecks: kopecks }: Payment, returned: bigint): bigint {
  if (currency === 'RUB') return returned;
  const whole = { nano: centsToUsd(minorUnits(amountMinor)), kopecks: rubKopecks(kopecks) };
  return kopecks - kopecksOfPart(centsToUsd(minorUnits(amountMinor - returned)), whole);
}

async function readActs(transaction: Transaction, { accountId, period }: PeriodOfAccount): Promise<Line[]> {
  const rows = await transaction
    .select()
    .from(documents)
    .where(
      and(
        eq(documents.accountId, accountId),
        inArray(documents.type, ['act', 'upd']),
        lte(documents.date, period.to),
        not(isCorrected),
      ),
    )
    .orderBy(documents.date);
  return rows.map((document) => ({
    date: document.date,
    kind: 'provided',
    description: titleOfStored(document),
    kopecks: document.amountKopecks,
  }));
}

/** Services of the time in which the buyer was a private customer. */
async function readReceipts(transaction: Transaction, accountId: number): Promise<Line[]> {
  const rows = await transaction
    .select({ month: offsetReceipts.month, kopecks: offsetReceipts.kopecks, payment: payments })
    .from(offsetReceipts)
    .innerJoin(payments, eq(payments.id, offsetReceipts.paymentId))
    .where(eq(payments.accountId, accountId))
    .orderBy(offsetReceipts.month, payments.id);
  return rows.map(({ month, kopecks, payment }) => ({
    date: lastDayOf(month),
    kind: 'provided',
    description: `Чек зачёта предоплаты, платёж ${referenceOf(payment)}`,
    kopecks,
  }));
}

function referenceOf({ id, providerReference }: Payment): string {
  return providerReference ?? id;
}

export function periodReversed(): GatewayError {
  return new GatewayError('invalid_parameter', "Invalid value for 'to': expected a day not before 'from'.", {
    param: 'to',
  });
}

export function periodNotOver(today: string): GatewayError {
  return new GatewayError('invalid_parameter', `Invalid value for 'to': expected a day until ${today}.`, {
    param: 'to',
  });
}
