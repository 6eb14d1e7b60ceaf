/**
 * Documents created automatically: advance invoices soon after each payment, and the documents of a month's services once the
 * month has been over for a day, when the last of its charges are booked. Each payment, and each account's months, are
 * one transaction, which finds again what a killed one has left. Then deleted companies are forgotten of whom nothing is left to
 * document.
 */
import { sql } from 'drizzle-orm';
import { counted } from '../../shared/counted.ts';
import type { Log } from '../../shared/log.ts';
import { catchUpLots } from '../lots/catch-up-lots.ts';
import { monthBefore, monthOf } from '../lots/months.ts';
import { type DocumentServices, type Issuing, prepareIssuing } from './document-services.ts';
import { forgetBuyers } from './forget-buyers.ts';
import { issueAdvanceInvoice } from './issue/advance-invoice.ts';
import { hasBuyer } from './issue/buyer.ts';
import { issueServices } from './services/month-services.ts';

export interface DueServices extends DocumentServices {
  readonly log: Log;
}

const dayMs = 86_400_000;
/**
 * Older payments get no advance invoice: the law leaves five days, and who begins to pay VAT does not owe it for what was
 * paid before.
 */
const advanceDays = 30;
const advancesAtOnce = 1_000;

/** Returns how many payments got their advance invoice. Throws after it has tried all of them. */
export async function issueDueAdvances(services: DueServices, signal?: AbortSignal): Promise<number> {
  if (services.seller?.vat === undefined) return 0;
  const issuing = prepareIssuing(services);
  const { db } = services.database;
  const steps = (await findDueAdvances(services, issuing)).map(
    (paymentId) => () => db.transaction((transaction) => issueAdvanceInvoice(transaction, issuing, paymentId)),
  );
  return runAll(steps, services.log, signal);
}

/** Returns how many accounts got documents of their months. Throws after it has tried all of them. */
export async function issueDueServices(services: DueServices, signal?: AbortSignal): Promise<number> {
  const { billingTimeZone } = services.config.payments;
  const month = monthBefore(monthOf(new Date(services.now().getTime() - dayMs), billingTimeZone));
  const { db } = services.database;
  try {
    return services.seller === undefined ? 0 : await issueServicesOf(services, month, signal);
  } finally {
    const due = services.seller === undefined ? [] : await findDueAccounts(services, month);
    await forgetBuyers(db, { month, billingTimeZone, due });
  }
}

async function issueServicesOf(services: DueServices, month: string, signal?: AbortSignal): Promise<number> {
  const issuing = prepareIssuing(services);
  const { db } = services.database;
  const steps = (await findDueAccounts(services, month)).map((accountId) => async () => {
    await catchUpLots(db, accountId, issuing);
    const made = await db.transaction((transaction) => issueServices(transaction, issuing, { accountId, month }));
    return made > 0;
  });
  return runAll(steps, services.log, signal);
}

/** One that fails holds up no other. */
async function runAll(steps: readonly (() => Promise<boolean>)[], log: Log, signal?: AbortSignal): Promise<number> {
  let made = 0;
  const failures: unknown[] = [];
  for (const step of steps) {
    signal?.throwIfAborted();
    try {
      if (await step()) made += 1;
    } catch (error) {
      failures.push(error);
    }
  }
  if (made > 0) log.info({ made }, 'issued documents');
  if (failures.length > 0)
    throw new AggregateError(failures, `${counted(failures.length, 'document')} could not be issued`);
  return made;
}

/** Each replica in an order of its own, so that they do not wait for each other. */
async function findDueAdvances(
  { database }: DueServices,
  { now, seller, billingTimeZone }: Issuing,
): Promise<string[]> {
  const rows = await database.db.execute<{ id: string }>(sql`
    SELECT payments.id FROM payments JOIN accounts ON accounts.id = payments.account_id
    WHERE payments.transaction_id IS NOT NULL
      AND payments.paid_at > ${now.toISOString()}::timestamptz - make_interval(days => ${advanceDays})
      AND (payments.paid_at AT TIME ZONE ${billingTimeZone})::date >= ${seller.vatSince ?? '-infinity'}::date
      AND NOT EXISTS (
        SELECT FROM documents WHERE documents.payment_id = payments.id AND documents.type = 'advance_invoice')
      AND ${hasBuyer}
    ORDER BY random() LIMIT ${advancesAtOnce}`);
  return rows.map(({ id }) => id);
}

/** Those whose lots were used, after their last act and until the end of a month, by more than receipts say. */
async function findDueAccounts({ database }: DueServices, month: string): Promise<number[]> {
  const rows = await database.db.execute<{ id: string }>(sql`
    WITH closed AS (SELECT account_id, max(month) AS month FROM closed_months GROUP BY account_id), receipted AS (
      SELECT payments.account_id, sum(receipt.kopecks) AS kopecks, max(receipt.month) AS last FROM offset_receipts AS receipt
      JOIN payments ON payments.id = receipt.payment_id LEFT JOIN closed ON closed.account_id = payments.account_id
      WHERE receipt.month > coalesce(closed.month, '-infinity') GROUP BY payments.account_id
    ), used AS (
      SELECT lot.account_id, sum(part.kopecks) AS kopecks FROM lot_parts AS part JOIN lots AS lot ON lot.line_id = part.lot_line_id
      LEFT JOIN closed ON closed.account_id = lot.account_id
      WHERE part.kind = 'usage' AND part.month <= ${month}::date AND part.month > coalesce(closed.month, '-infinity')
      GROUP BY lot.account_id
    )
    SELECT accounts.id FROM accounts JOIN used ON used.account_id = accounts.id
    LEFT JOIN receipted ON receipted.account_id = accounts.id
    WHERE used.kopecks > coalesce(receipted.kopecks, 0) AND (receipted.last IS NULL OR receipted.last < ${month}::date)
      AND ${hasBuyer}
    ORDER BY random()`);
  return rows.map(({ id }) => Number(id));
}
