/** Payments of an account or of all accounts, newest first, with what belongs to each. */
import { and, count, desc, eq, inArray, lt, not } from 'drizzle-orm';
import type { DbOrTransaction } from '../database/connect.ts';
import type { Payment } from '../database/rows/payment.ts';
import { documents } from '../database/tables/documents.ts';
import { type PaymentStatus, paymentEvents, paymentRefunds, payments } from '../database/tables/payments.ts';
import { isCorrected } from '../documents/document.ts';
import type { Refund } from './refunds/find-refunds.ts';

export interface PaymentFilter {
  /** All accounts if undefined. */
  readonly accountId: number | undefined;
  readonly status: PaymentStatus | undefined;
  /** The id of a method. */
  readonly method?: string | undefined;
}

interface Page {
  readonly limit: number;
  readonly offset?: number;
  /** Only payments that are older than the one with this id. */
  readonly behind?: string | undefined;
}

export interface PaymentPage {
  readonly payments: readonly Payment[];
  /** The last one, if more follow it. */
  readonly end: Payment | undefined;
  /** On all pages. */
  readonly total: number;
}

export async function listPayments(
  db: DbOrTransaction,
  { accountId, status, method }: PaymentFilter,
  { limit, offset = 0, behind }: Page,
): Promise<PaymentPage> {
  const matches = and(
    accountId === undefined ? undefined : eq(payments.accountId, accountId),
    status === undefined ? undefined : eq(payments.status, status),
    method === undefined ? undefined : eq(payments.method, method),
  );
  const found = await db
    .select()
    .from(payments)
    .where(and(matches, behind === undefined ? undefined : lt(payments.id, behind)))
    .orderBy(desc(payments.id))
    .limit(limit + 1)
    .offset(offset);
  const page = found.slice(0, limit);
  const [all] = await db.select({ total: count() }).from(payments).where(matches);
  return { payments: page, end: found.length > limit ? page.at(-1) : undefined, total: all?.total ?? 0 };
}

export type PaymentEvent = Pick<typeof paymentEvents.$inferSelect, 'id' | 'kind' | 'body' | 'receivedAt'>;

/** What was said about a payment, newest first. */
export function listEvents(db: DbOrTransaction, paymentId: string, limit: number): Promise<PaymentEvent[]> {
  const { id, kind, body, receivedAt } = paymentEvents;
  return db
    .select({ id, kind, body, receivedAt })
    .from(paymentEvents)
    .where(eq(paymentEvents.paymentId, paymentId))
    .orderBy(desc(id))
    .limit(limit);
}

export interface PaymentDetails {
  /** In the order in which they were made. */
  readonly refunds: readonly Refund[];
  /** Its invoice, or the latest correction of it. */
  readonly documentId: string | null;
}

/** Returns a function that says what belongs to each of these payments. */
export async function readDetails(
  db: DbOrTransaction,
  paymentIds: readonly string[],
): Promise<(paymentId: string) => PaymentDetails> {
  if (paymentIds.length === 0) return () => ({ refunds: [], documentId: null });
  const refunds = await db
    .select()
    .from(paymentRefunds)
    .where(inArray(paymentRefunds.paymentId, [...paymentIds]))
    .orderBy(paymentRefunds.id);
  const invoices = await db
    .select({ id: documents.id, paymentId: documents.paymentId })
    .from(documents)
    .where(and(inArray(documents.paymentId, [...paymentIds]), eq(documents.type, 'invoice'), not(isCorrected)));
  const byPayment = Map.groupBy(refunds, ({ paymentId }) => paymentId);
  const invoiceOf = new Map(invoices.map(({ id, paymentId }) => [paymentId, id]));
  return (id) => ({ refunds: byPayment.get(id) ?? [], documentId: invoiceOf.get(id) ?? null });
}
