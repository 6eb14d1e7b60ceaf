/**
 * The documents of a month's services: an act, and with VAT a tax invoice beside it, or an УПД for both. They are made in
 * the order of months, each in the transaction that closes its month, so that usage booked later counts for a later one.
 *
 * An act is about everything that was used until the end of its month and is in no act yet. So a correction that gave back
 * more than was used in its month reduces the next act, and acts sum to what was used of the account's lots. What receipts say
 * of the time in which the customer was private is not in acts: each charge is documented once.
 */
import { and, eq, gt, inArray, isNull, lte, max, sql, sum } from 'drizzle-orm';
import { GatewayError } from '../../../shared/errors.ts';
import { type RubKopecks, rubKopecks } from '../../../shared/money.ts';
import type { Transaction } from '../../database/connect.ts';
import { documents } from '../../database/tables/documents.ts';
import { lotParts, lots } from '../../database/tables/lots.ts';
import { offsetReceipts } from '../../database/tables/offset-receipts.ts';
import { payments } from '../../database/tables/payments.ts';
import { closeMonth, countLots } from '../../lots/count-lots.ts';
import { dayOf, lastDayOf, monthAfter, monthOf } from '../../lots/months.ts';
import { type Document, documentColumns, isCorrected } from '../document.ts';
import type { Party, ServiceData } from '../document-data.ts';
import { type Issuing, roubles, taxOf } from '../document-services.ts';
import { requireBuyer } from '../issue/buyer.ts';
import { issueDocument } from '../issue/issue-document.ts';
import { readUsageLines } from './usage-lines.ts';

export interface MonthOfAccount {
  readonly accountId: number;
  /** Its first day. */
  readonly month: string;
}

interface Services extends MonthOfAccount {
  /** The last month that is documented, by an act or by receipts. */
  readonly after: string | undefined;
  /** The month of the act before. */
  readonly afterAct: string | undefined;
  readonly kopecks: RubKopecks;
  readonly buyer: Party;
}

export const serviceName = 'Услуги доступа к языковым моделям через API';
const isAct = inArray(documents.type, ['act', 'upd']);

/**
 * Issues what is missing up to the end of a month that is over. Locks the account. Returns how many months got their
 * documents. Throws GatewayError `company_details_missing`.
 */
export async function issueServices(
  transaction: Transaction,
  issuing: Issuing,
  { accountId, month: through }: MonthOfAccount,
): Promise<number> {
  await countLots(transaction, accountId, issuing);
  let afterAct = await readLastAct(transaction, accountId);
  const receipted = await readReceipted(transaction, { accountId, afterAct });
  const months = await readMonths(transaction, { accountId, month: through, afterAct });
  let undocumented = -receipted.kopecks;
  let made = 0;
  for (const { month, kopecks } of months) {
    undocumented += BigInt(kopecks);
    if (undocumented <= 0n || (receipted.last !== undefined && month <= receipted.last)) continue;
    const buyer = await requireBuyer(transaction, accountId);
    await closeMonth(transaction, { accountId, month }, issuing);
    const after = latest(afterAct, receipted.last);
    await issueMonth(transaction, issuing, {
      ...{ accountId, month, after, afterAct, buyer },
      kopecks: rubKopecks(undocumented),
    });
    undocumented = 0n;
    afterAct = month;
    made += 1;
  }
  return made;
}

function latest(one: string | undefined, other: string | undefined): string | undefined {
  return one === undefined || (other !== undefined && other > one) ? other : one;
}

/** The month's act or УПД, or its latest correction. Throws GatewayError `nothing_to_document`. */
export async function findAct(transaction: Transaction, { accountId, month }: MonthOfAccount): Promise<Document> {
  const [act] = await transaction
    .select(documentColumns)
    .from(documents)
    .where(
      and(eq(documents.accountId, accountId), eq(documents.periodTo, lastDayOf(month)), isAct, sql`NOT ${isCorrected}`),
    );
  if (act === undefined) throw nothingToDocument(month);
  return act;
}

/** Throws GatewayError `invalid_parameter` for a month that is not over in the billing time zone. */
export function requirePast(month: string, { now, billingTimeZone }: Issuing): void {
  if (month < monthOf(now, billingTimeZone)) return;
  throw monthNotOver(dayOf(now, billingTimeZone));
}

async function issueMonth(transaction: Transaction, issuing: Issuing, services: Services): Promise<void> {
  const { seller, billingTimeZone } = issuing;
  const { accountId, month, after, kopecks, buyer } = services;
  const period = { from: month, to: lastDayOf(month) };
  const tax = taxOf(seller, { kopecks, date: period.to });
  const months = { from: after === undefined ? month : monthAfter(after), to: month };
  const usage = await readUsageLines(transaction, { accountId, months, after, kopecks, billingTimeZone });
  const paid = await readPayments(transaction, services, billingTimeZone);
  const advanceInvoices = tax.vat === undefined ? [] : await readAdvanceInvoices(transaction, paid);
  const about = {
    ...{ service: serviceName, period, amount: roubles(kopecks), ...tax, usage },
    payments: paid.map(({ paymentId: _, ...payment }) => payment),
    ...(advanceInvoices.length > 0 && { advanceInvoices }),
  };
  const issue = (type: ServiceData['type'], more: Pick<ServiceData, 'act'> = {}) =>
    issueDocument(transaction, {
      accountId,
      type,
      date: period.to,
      period,
      amountKopecks: kopecks,
      write: (numbered) => ({ type, ...numbered, seller: seller.party, buyer, ...about, ...more }),
    });
  const { number, date } = await issue(seller.documentKind);
  if (seller.documentKind === 'act' && tax.vat !== undefined) await issue('tax_invoice', { act: { number, date } });
}

async function readLastAct(transaction: Transaction, accountId: number): Promise<string | undefined> {
  const [row] = await transaction
    .select({ last: max(documents.periodFrom) })
    .from(documents)
    .where(and(eq(documents.accountId, accountId), isAct, isNull(documents.correctsId)));
  return row?.last ?? undefined;
}

interface AfterAct {
  readonly accountId: number;
  readonly afterAct: string | undefined;
}

/** What receipts of the payment provider say about the months after the last act. */
async function readReceipted(transaction: Transaction, { accountId, afterAct }: AfterAct) {
  const [row] = await transaction
    .select({ last: max(offsetReceipts.month), kopecks: sum(offsetReceipts.kopecks) })
    .from(offsetReceipts)
    .innerJoin(payments, eq(payments.id, offsetReceipts.paymentId))
    .where(and(eq(payments.accountId, accountId), isAfter(offsetReceipts.month, afterAct)));
  return { last: row?.last ?? undefined, kopecks: BigInt(row?.kopecks ?? '0') };
}

/** The roubles that each month after the last act used of the account's lots. */
function readMonths(transaction: Transaction, { accountId, month, afterAct }: MonthOfAccount & AfterAct) {
  return transaction
    .select({ month: lotParts.month, kopecks: sql<string>`sum(${lotParts.kopecks})` })
    .from(lotParts)
    .innerJoin(lots, eq(lots.lineId, lotParts.lotLineId))
    .where(
      and(
        eq(lots.accountId, accountId),
        eq(lotParts.kind, 'usage'),
        lte(lotParts.month, month),
        isAfter(lotParts.month, afterAct),
      ),
    )
    .groupBy(lotParts.month)
    .orderBy(lotParts.month);
}

function isAfter(month: typeof lotParts.month | typeof offsetReceipts.month, after: string | undefined) {
  return after === undefined ? undefined : gt(month, after);
}

type PaymentRow = {
  readonly id: string;
  readonly reference: string;
  readonly paid_at: Date;
  readonly kopecks: string;
};

type UsedPayment = ServiceData['payments'][number] & { readonly paymentId: string };

/** Whose roubles were used, in the order of use, without what receipts have documented. */
async function readPayments(
  transaction: Transaction,
  { accountId, month, afterAct = '0001-01-01' }: Services,
  billingTimeZone: string,
): Promise<UsedPayment[]> {
  const rows = await transaction.execute<PaymentRow>(sql`
    SELECT payment.id, coalesce(payment.provider_reference, payment.id::text) AS reference, payment.paid_at,
      sum(part.kopecks) - receipted.kopecks AS kopecks
    FROM lot_parts AS part JOIN lots AS lot ON lot.line_id = part.lot_line_id
    JOIN payments AS payment ON payment.id = lot.payment_id
    CROSS JOIN LATERAL (
      SELECT coalesce(sum(kopecks), 0) AS kopecks FROM offset_receipts
      WHERE offset_receipts.payment_id = payment.id AND offset_receipts.month > ${afterAct}::date) AS receipted
    WHERE lot.account_id = ${accountId} AND part.kind = 'usage'
      AND part.month > ${afterAct}::date AND part.month <= ${month}::date
    GROUP BY payment.id, lot.line_id, receipted.kopecks HAVING sum(part.kopecks) <> receipted.kopecks
    ORDER BY lot.line_id`);
  return rows.map(({ id, reference, paid_at, kopecks }) => ({
    paymentId: id,
    reference,
    date: dayOf(paid_at, billingTimeZone),
    amount: roubles(BigInt(kopecks)),
  }));
}

/** Of these payments, as far as they have one, in the order of their numbers. */
function readAdvanceInvoices(transaction: Transaction, paid: readonly UsedPayment[]) {
  const ids = paid.map(({ paymentId }) => paymentId);
  return transaction
    .select({ number: documents.number, date: documents.date })
    .from(documents)
    .where(and(inArray(documents.paymentId, ids), eq(documents.type, 'advance_invoice'), sql`NOT ${isCorrected}`))
    .orderBy(documents.date, documents.number);
}

export function nothingToDocument(month: string): GatewayError {
  return new GatewayError('nothing_to_document', `No paid money was used in ${month.slice(0, 7)}.`, { param: 'month' });
}

export function monthNotOver(today: string): GatewayError {
  return new GatewayError(
    'invalid_parameter',
    `Invalid value for 'month': expected a month before ${today.slice(0, 7)}.`,
    {
      param: 'month',
    },
  );
}
