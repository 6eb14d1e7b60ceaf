/**
 * Books the order that a transfer pays, as an operator's confirmation with the bank's day and number. A line confirms one
 * payment, however often it is requested.
 */
import { eq } from 'drizzle-orm';
import { GatewayError } from '../../../shared/errors.ts';
import { bankTransfer, methodTitle } from '../../../shared/payment-methods.ts';
import type { ExchangeRate } from '../../catalogue/exchange-rate/exchange-rate.ts';
import { moscowDay } from '../../catalogue/exchange-rate/rate-schedule.ts';
import type { Transaction } from '../../database/connect.ts';
import { amountText, findPayment, isBooked, type Payment } from '../../database/rows/payment.ts';
import { bankLines } from '../../database/tables/bank-lines.ts';
import { type Actor, recordAction } from '../../operations/audit/record-action.ts';
import { rateOfPayment } from '../book-payment.ts';
import { confirmPayment } from '../decide-payment.ts';
import { momentOfBankDay } from '../paid-at.ts';
import type { BookingServices } from '../payment-services.ts';
import { type BankLine, type MatchedLine, matchLines, readLines } from './bank-lines.ts';

export interface LineChoice {
  readonly lineId: number;
  /** Undefined to book it only if it is certain. */
  readonly paymentId: string | undefined;
}

export interface LineOutcome {
  readonly line: MatchedLine;
  /** The account whose balance has grown. */
  readonly accountId: number | undefined;
  /** Why it was not booked. */
  readonly error: GatewayError | undefined;
}

/** One after the other: what fails does not stop the others. Throws if a store cannot be reached. */
export async function bookLines(
  services: BookingServices,
  actor: Actor,
  choices: readonly LineChoice[],
): Promise<LineOutcome[]> {
  const { database } = services;
  const before = await matchChosen(services, choices);
  const booked = new Map<number, { accountId?: number; error?: GatewayError }>();
  for (const choice of choices) {
    try {
      const accountId = await bookLine(services, actor, { choice, line: before.get(choice.lineId) });
      booked.set(choice.lineId, { accountId });
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      booked.set(choice.lineId, { error });
    }
  }
  const after = await matchLines(database, await readLines(database.sql, [...before.keys()]));
  return after.map((line) => ({ line, accountId: undefined, error: undefined, ...booked.get(line.id) }));
}

async function matchChosen({ database }: BookingServices, choices: readonly LineChoice[]) {
  const lines = await readLines(
    database.sql,
    choices.map(({ lineId }) => lineId),
  );
  const matched = new Map((await matchLines(database, lines)).map((line) => [line.id, line]));
  for (const { lineId } of choices) if (!matched.has(lineId)) throw lineNotFound(lineId);
  return matched;
}

async function bookLine(
  services: BookingServices,
  actor: Actor,
  { choice, line }: { choice: LineChoice; line: MatchedLine | undefined },
): Promise<number> {
  if (line === undefined) throw lineNotFound(choice.lineId);
  const certain = line.match.state === 'certain' ? line.match.candidates[0]?.invoice.paymentId : undefined;
  const paymentId = choice.paymentId ?? line.paymentId ?? certain;
  if (paymentId === undefined) throw notCertain(line);
  const { accountId } = await findPayment(services.database.db, paymentId);
  if (line.paymentId === paymentId) return accountId;
  if (line.paymentId !== null) throw lineUsed(line.paymentId);
  const paidAt = momentOfBankDay(line.bankDate, services.now());
  if (paidAt === undefined) throw inFuture(line);
  const rate = await rateOfPayment(services, paidAt);
  await services.database.db.transaction((transaction) =>
    confirmByLine(transaction, actor, { line, paymentId, paidAt, rate }),
  );
  return accountId;
}

interface Confirmed {
  readonly line: BankLine;
  readonly paymentId: string;
  readonly paidAt: Date;
  readonly rate: ExchangeRate;
}

async function confirmByLine(
  transaction: Transaction,
  actor: Actor,
  { line, paymentId, paidAt, rate }: Confirmed,
): Promise<void> {
  const [stored] = await transaction.select().from(bankLines).where(eq(bankLines.id, line.id)).for('update');
  if (stored?.paymentId === paymentId) return;
  if (stored !== undefined && stored.paymentId !== null) throw lineUsed(stored.paymentId);
  const payment = await findPayment(transaction, paymentId);
  if (payment.method !== bankTransfer) throw notAnInvoice(payment.method);
  if (payment.amountMinor !== line.amountKopecks) {
    throw otherAmount(amountText(payment.amountMinor, payment.currency), amountText(line.amountKopecks, 'RUB'));
  }
  if (isConfirmedBy(payment, line)) await recordMatch(transaction, actor, { line, payment });
  else {
    const confirmation = {
      paymentId,
      paidAt,
      reference: line.number,
      referenceScope: `${line.bankDate} ${line.payerAccount}`,
      reason: `Bank statement: transfer ${line.number} of ${line.bankDate}`,
    };
    await confirmPayment(transaction, actor, { confirmation, rate, title: methodTitle(bankTransfer) });
  }
  await transaction.update(bankLines).set({ paymentId }).where(eq(bankLines.id, line.id));
}

/** Whether an operator has confirmed it by hand with what the line says. */
function isConfirmedBy(payment: Payment, { number, bankDate }: BankLine): boolean {
  const { providerReference, referenceScope, paidAt } = payment;
  return (
    isBooked(payment) && referenceScope === '' && providerReference === number && dayOfTransfer(paidAt) === bankDate
  );
}

const dayOfTransfer = (paidAt: Date | null) => (paidAt === null ? undefined : moscowDay(paidAt));

/** The line does not prove by itself that it is the confirmed transfer, or its payer is another company: so it is written down. */
function recordMatch(
  transaction: Transaction,
  actor: Actor,
  { line, payment }: { line: BankLine; payment: Payment },
): Promise<void> {
  return recordAction(transaction, actor, {
    action: 'payment.match_line',
    subject: `payment ${payment.id}`,
    accountId: payment.accountId,
    after: { line: line.id, reference: line.number, payerInn: line.payerInn },
  });
}

export function lineNotFound(id: number): GatewayError {
  return new GatewayError('not_found', `There is no line ${id} of a bank statement.`, { param: 'lines' });
}

export function notCertain({ id, match }: Pick<MatchedLine, 'id' | 'match'>): GatewayError {
  return new GatewayError('payment_state', `Line ${id} is not certain, so choose its payment. ${match.reason}`);
}

export function lineUsed(paymentId: string): GatewayError {
  return new GatewayError('payment_reference_used', `This transfer already confirms payment ${paymentId}.`);
}

function notAnInvoice(method: string): GatewayError {
  return new GatewayError('invalid_parameter', `The payment is by ${method}, not by bank transfer.`, {
    param: 'paymentId',
  });
}

function otherAmount(expected: string, transferred: string): GatewayError {
  return new GatewayError('invalid_parameter', `The order was ${expected}, the transfer is ${transferred}.`, {
    param: 'paymentId',
  });
}

function inFuture({ bankDate }: BankLine): GatewayError {
  return new GatewayError('invalid_parameter', `The transfer is dated in the future: ${bankDate}.`, { param: 'lines' });
}
