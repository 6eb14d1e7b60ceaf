/**
 * Has the receipts made that are due. A call whose outcome is unknown is repeated with the same key; once the provider may
 * have forgotten the key, it is asked for the receipt first, and only one that it does not have gets a new key. So a
 * receipt is made once, wherever an admin is killed.
 *
 * A claim moves the next attempt, in one short statement, so several admins share the work.
 */
import { eq } from 'drizzle-orm';
import { findPayment, recordEvent } from '../../database/rows/payment.ts';
import { offsetReceipts } from '../../database/tables/offset-receipts.ts';
import { longMonth } from '../../documents/render/text/dates.ts';
import { serviceName } from '../../documents/services/month-services.ts';
import { lastDayOf } from '../../lots/months.ts';
import { minorUnits } from '../../money/payment-money.ts';
import type { OffsetReceiptInput, OffsetReceiptResult, OffsetReceipts } from '../methods/offset-receipts.ts';
import { ProviderError } from '../methods/payment-method.ts';
import type { PaymentServices } from '../payment-services.ts';
import { methodsWithReceipts } from './write-receipts.ts';

type Receipt = typeof offsetReceipts.$inferSelect;
type ReceiptInput = Omit<OffsetReceiptInput, 'key'>;

const claimedAtOnce = 10;
const longestPauseMs = 6 * 3_600_000;
/** Providers keep keys for 24 hours. */
const keyLifeMs = 23 * 3_600_000;
/** Longer than the life of a key, so that the provider is first queried for the receipt. */
const refusedPauseMs = 24 * 3_600_000;

/** One step. Returns how many receipts were due. One's failure does not stop the others. */
export async function sendOffsetReceipts(services: PaymentServices): Promise<number> {
  const methods = methodsWithReceipts(services);
  if (methods.length === 0) return 0;
  const claimed = await claimReceipts(services, methods);
  await Promise.all(claimed.map(({ id }) => sendGuarded(services, id)));
  return claimed.length;
}

function claimReceipts({ database, now }: PaymentServices, methods: readonly string[]): Promise<{ id: string }[]> {
  const at = now();
  return database.sql<{ id: string }[]>`
    UPDATE offset_receipts SET attempts = attempts + 1,
      next_attempt_at = ${at}::timestamptz + least(60000 * 2 ^ least(attempts, 20), ${longestPauseMs}) * interval '1 ms'
    WHERE id IN (
      SELECT receipt.id FROM offset_receipts AS receipt JOIN payments ON payments.id = receipt.payment_id
      WHERE receipt.status = 'pending' AND receipt.next_attempt_at <= ${at} AND payments.method = ANY(${[...methods]})
      ORDER BY receipt.next_attempt_at LIMIT ${claimedAtOnce} FOR UPDATE OF receipt SKIP LOCKED)
    RETURNING id`;
}

async function sendGuarded(services: PaymentServices, id: string): Promise<void> {
  try {
    await sendReceipt(services, id);
  } catch (error) {
    const { log, database, now } = services;
    if (!(error instanceof ProviderError && error.kind === 'refused')) {
      log.warn({ receipt: id, err: error }, 'an offset receipt could not be sent; it will be retried');
      return;
    }
    log.error({ receipt: id, problem: error.message }, 'an offset receipt was refused; it will be retried in a day');
    await database.sql`
      UPDATE offset_receipts SET problem = ${error.message}, next_attempt_at = ${new Date(now().getTime() + refusedPauseMs)}
      WHERE id = ${id} AND status = 'pending'`;
  }
}

async function sendReceipt(services: PaymentServices, id: string): Promise<void> {
  const { db } = services.database;
  const [receipt] = await db.select().from(offsetReceipts).where(eq(offsetReceipts.id, id));
  if (receipt?.status !== 'pending') return;
  const payment = await findPayment(db, receipt.paymentId);
  const sender = services.methods.get(payment.method)?.offsetReceipts;
  if (sender === undefined) return;
  const input = {
    paymentReference: payment.providerReference ?? '',
    description: `${serviceName} за ${longMonth(receipt.month)}`,
    amountMinor: minorUnits(receipt.kopecks),
    email: payment.email,
    serviceDay: lastDayOf(receipt.month),
  };
  const result = await findOrCreate(services, { receipt, sender, input });
  if (result === 'taken') return;
  if (result === 'no address') {
    await finish(services, receipt, { state: 'failed', problem: 'the account is deleted, so there is no recipient' });
    return;
  }
  const { state, reference, raw } = result;
  await db.update(offsetReceipts).set({ providerReference: reference }).where(eq(offsetReceipts.id, id));
  if (state === 'pending') return;
  await recordEvent(db, { paymentId: payment.id, kind: 'answer', body: input.email === '' ? '' : raw });
  await finish(services, receipt, { state, problem: state === 'failed' ? 'the provider could not register it' : null });
}

/** `taken`: another admin has begun to create it. */
async function findOrCreate(
  services: PaymentServices,
  { receipt, sender, input }: { receipt: Receipt; sender: OffsetReceipts; input: ReceiptInput },
): Promise<OffsetReceiptResult | 'taken' | 'no address'> {
  const { providerReference: reference, askedAt } = receipt;
  const isAddressless = input.email === '';
  const isForgotten = askedAt !== null && services.now().getTime() - askedAt.getTime() > keyLifeMs;
  if (reference !== null || isForgotten || (isAddressless && askedAt !== null)) {
    const found = await sender.find({ ...input, reference });
    if (found !== undefined) return found;
    if (reference !== null) throw new ProviderError('unavailable', `there is no receipt ${reference}`);
  }
  if (isAddressless) return 'no address';
  const key = await takeKey(services, receipt, isForgotten);
  return key === undefined ? 'taken' : sender.create({ ...input, key });
}

/** The key of the call, a new one only if the old one is forgotten. Undefined if another admin has changed it. */
async function takeKey(
  { database, now }: PaymentServices,
  { id, key, askedAt }: Receipt,
  isForgotten: boolean,
): Promise<string | undefined> {
  if (askedAt !== null && !isForgotten) return key;
  const taken = isForgotten ? crypto.randomUUID() : key;
  const result = await database.sql`
    UPDATE offset_receipts SET key = ${taken}, asked_at = ${now()}
    WHERE id = ${id} AND status = 'pending' AND key = ${key} AND asked_at IS NOT DISTINCT FROM ${askedAt}`;
  return result.count > 0 ? taken : undefined;
}

async function finish(
  { database, log, now }: PaymentServices,
  { id, paymentId }: Receipt,
  { state, problem }: { state: 'succeeded' | 'failed'; problem: string | null },
): Promise<void> {
  if (problem !== null) log.error({ receipt: id, payment: paymentId, problem }, 'an offset receipt has failed');
  await database.sql`
    UPDATE offset_receipts SET status = ${state}, problem = ${problem}, finished_at = ${now()}
    WHERE id = ${id} AND status = 'pending'`;
}
