/** Creates a payment: validated and stored with its invoice in one transaction, before any provider hears of it. */
import { and, count, eq, isNotNull, isNull } from 'drizzle-orm';
import { GatewayError } from '../../../shared/errors.ts';
import { formatUsd, type NanoUsd, walletLimitNano } from '../../../shared/money.ts';
import { methodTitle } from '../../../shared/payment-methods.ts';
import type { ExchangeRate } from '../../catalogue/exchange-rate/exchange-rate.ts';
import type { DbOrTransaction, Transaction } from '../../database/connect.ts';
import { addressUnverified, refuseDeleted } from '../../database/rows/account-state.ts';
import { lockAccount } from '../../database/rows/lock-account.ts';
import { type PaymentCurrency, payments } from '../../database/tables/payments.ts';
import { prepareIssuing } from '../../documents/document-services.ts';
import { requireBuyer } from '../../documents/issue/buyer.ts';
import { issueInvoice } from '../../documents/issue/invoice.ts';
import { walletFull } from '../../ledger/post-credit.ts';
import type { MinorUnits } from '../../money/payment-money.ts';
import { refuseUnwantedCard } from '../auto-top-up/saved-card.ts';
import type { PaymentMethod } from '../methods/payment-method.ts';
import type { PaymentServices } from '../payment-services.ts';
import { convertAmount } from './convert-amount.ts';
import { returnUrlOf } from './return-url.ts';

export interface PaymentInput {
  readonly accountId: number;
  readonly email: string;
  readonly method: string;
  readonly amountMinor: MinorUnits;
  readonly currency: PaymentCurrency;
  readonly returnUrl: string | undefined;
  /** Whether the provider keeps the card for automatic top-ups. */
  readonly savesCard?: boolean;
}

interface NewPayment {
  readonly input: PaymentInput;
  readonly method: PaymentMethod;
  readonly rate: ExchangeRate;
  readonly automatic?: { readonly cardId: string; readonly lifetimeMs: number };
}

/** How many orders of an account may wait to be paid at a time. */
export const pendingMax = 20;
const firstPollMs = 15_000;

/** Returns the id of the new payment. Throws GatewayError for a payment that cannot be created. */
export async function createPayment(
  services: Pick<PaymentServices, 'config' | 'methods' | 'now' | 'seller'>,
  transaction: Transaction,
  { input, rate }: { input: PaymentInput; rate: ExchangeRate },
): Promise<string> {
  const { config, methods } = services;
  const method = methods.get(input.method);
  if (method === undefined) throw unknownMethod([...methods.keys()]);
  if (!method.currencies.includes(input.currency)) throw wrongCurrency(method);
  const converted = convertAmount(input, rate, config.payments.marginPpm);
  refuseAmount(config.payments, converted.creditNano);

  const account = await lockAccount(transaction, input.accountId);
  await refuseDeleted(transaction, input.accountId);
  if (account.ownership === 'unproven') throw addressUnverified();
  if (account.balanceNano + converted.creditNano > walletLimitNano) throw walletFull();
  await refuseTooMany(transaction, input.accountId);
  if (method.isCard) await refuseDisputed(transaction, input.accountId);
  if (input.savesCard === true) await refuseUnwantedCard(transaction, input.accountId, input.method);
  const buyer = method.needsCompany ? await requireBuyer(transaction, input.accountId) : undefined;

  const { id, expiresAt } = await insertPayment(services, transaction, { input, method, rate });
  if (buyer !== undefined) {
    const { accountId, amountMinor } = input;
    const invoice = { accountId, paymentId: id, buyer, amountMinor, expiresAt };
    await issueInvoice(transaction, prepareIssuing(services), invoice);
  }
  return id;
}

/** Without validating it. An automatic one names the saved card that pays it. */
export async function insertPayment(
  { config, now }: Pick<PaymentServices, 'config' | 'now'>,
  transaction: Transaction,
  { input, method, rate, automatic }: NewPayment,
): Promise<{ readonly id: string; readonly expiresAt: Date }> {
  const { marginPpm } = config.payments;
  const { returnUrl, ...fields } = input;
  const id = Bun.randomUUIDv7();
  const createdAt = now();
  const expiresAt = new Date(createdAt.getTime() + (automatic?.lifetimeMs ?? method.lifetimeMs));
  await transaction.insert(payments).values({
    id,
    ...fields,
    ...convertAmount(input, rate, marginPpm),
    rubPerUsd: rate.rubPerUsd,
    rateDate: rate.date,
    marginPpm,
    returnUrl: returnUrlOf(returnUrl, { paymentId: id, publicUrl: config.publicUrl }),
    ...(automatic && { cardId: automatic.cardId, outcomeCounted: false }),
    createdAt,
    expiresAt,
    nextAskAt: method.isPolled ? new Date(createdAt.getTime() + firstPollMs) : null,
  });
  return { id, expiresAt };
}

export function refuseAmount({ minNano, maxNano }: { minNano: NanoUsd; maxNano: NanoUsd }, creditNano: NanoUsd): void {
  if (creditNano < minNano || creditNano > maxNano) throw amountOutOfRange({ minNano, maxNano });
}

async function refuseTooMany(db: DbOrTransaction, accountId: number): Promise<void> {
  const [row] = await db
    .select({ pending: count() })
    .from(payments)
    .where(and(eq(payments.accountId, accountId), eq(payments.status, 'pending')));
  if ((row?.pending ?? 0) >= pendingMax) throw tooManyPending();
}

export async function refuseDisputed(db: DbOrTransaction, accountId: number): Promise<void> {
  if (await isDisputed(db, accountId)) throw cardsStopped();
}

/** Whether a card payment was disputed, and the dispute is not won. */
export async function isDisputed(db: DbOrTransaction, accountId: number): Promise<boolean> {
  const disputed = await db
    .select({ id: payments.id })
    .from(payments)
    .where(and(eq(payments.accountId, accountId), isNotNull(payments.disputedAt), isNull(payments.disputeWonAt)))
    .limit(1);
  return disputed.length > 0;
}

export function unknownMethod(known: readonly string[]): GatewayError {
  const expected = known.length === 0 ? 'no payment method is available' : `expected ${known.join(' or ')}`;
  return new GatewayError('invalid_parameter', `Invalid value for 'method': ${expected}.`, { param: 'method' });
}

export function wrongCurrency({ id, currencies }: Pick<PaymentMethod, 'id' | 'currencies'>): GatewayError {
  return new GatewayError(
    'invalid_parameter',
    `Invalid value for 'currency': ${methodTitle(id)} takes ${currencies.join(' or ')}.`,
    { param: 'currency' },
  );
}

export function amountOutOfRange({ minNano, maxNano }: { minNano: NanoUsd; maxNano: NanoUsd }): GatewayError {
  return new GatewayError(
    'invalid_parameter',
    `Invalid value for 'amount': a payment is worth from ${formatUsd(minNano)} to ${formatUsd(maxNano)} USD.`,
    { param: 'amount' },
  );
}

export function tooManyPending(): GatewayError {
  return new GatewayError(
    'too_many_payments',
    `There are already ${pendingMax} unpaid orders. Pay one of them, or wait until one expires.`,
  );
}

export function cardsStopped(): GatewayError {
  return new GatewayError(
    'cards_stopped',
    'A card payment of this account was disputed with the bank. Pay by bank transfer, or contact support.',
    { param: 'method' },
  );
}
