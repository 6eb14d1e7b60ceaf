/** Takes an order: judged and stored with its invoice in one transaction, before any provider hears of it. */
import { and, count, eq, isNotNull } from 'drizzle-orm';
import { GatewayError } from '../../../shared/errors.ts';
import { formatUsd, type NanoUsd, walletLimitNano } from '../../../shared/money.ts';
import type { MinorUnits } from '../../../shared/payment-money.ts';
import { type PaymentCurrency, payments } from '../../../shared/tables/payments.ts';
import { refuseDeleted } from '../../accounts/account-state.ts';
import { lockAccount } from '../../accounts/lock-account.ts';
import type { ExchangeRate } from '../../catalogue/exchange-rate/exchange-rate.ts';
import type { DbOrTransaction, Transaction } from '../../database/connect.ts';
import { prepareIssuing } from '../../documents/document-services.ts';
import { requireBuyer } from '../../documents/issue/buyer.ts';
import { issueInvoice } from '../../documents/issue/invoice.ts';
import { walletFull } from '../../ledger/post-credit.ts';
import type { PaymentMethod } from '../methods/payment-method.ts';
import type { PaymentServices } from '../payment-services.ts';
import { convertAmount } from './convert-amount.ts';
import { returnUrlOf } from './return-url.ts';

export interface PaymentOrder {
  readonly accountId: number;
  readonly email: string;
  readonly method: string;
  readonly amountMinor: MinorUnits;
  readonly currency: PaymentCurrency;
  readonly returnUrl: string | undefined;
}

/** How many orders of an account may wait to be paid at a time. */
export const pendingMax = 20;
const firstAskMs = 15_000;

/** Returns the id of the new payment. Throws GatewayError for an order that cannot be taken. */
export async function orderPayment(
  services: Pick<PaymentServices, 'config' | 'methods' | 'now' | 'seller'>,
  transaction: Transaction,
  { order, rate }: { order: PaymentOrder; rate: ExchangeRate },
): Promise<string> {
  const { config, methods, now } = services;
  const method = methods.get(order.method);
  if (method === undefined) throw unknownMethod([...methods.keys()]);
  if (!method.currencies.includes(order.currency)) throw wrongCurrency(method);
  const { marginPpm } = config.payments;
  const converted = convertAmount(order, rate, marginPpm);
  refuseAmount(config.payments, converted.creditNano);

  const account = await lockAccount(transaction, order.accountId);
  await refuseDeleted(transaction, order.accountId);
  if (account.balanceNano + converted.creditNano > walletLimitNano) throw walletFull();
  await refuseTooMany(transaction, order.accountId);
  if (method.isCard) await refuseDisputed(transaction, order.accountId);
  const buyer = method.needsCompany ? await requireBuyer(transaction, order.accountId) : undefined;

  const id = Bun.randomUUIDv7();
  const createdAt = now();
  const expiresAt = new Date(createdAt.getTime() + method.lifetimeMs);
  await transaction.insert(payments).values({
    id,
    accountId: order.accountId,
    method: method.id,
    currency: order.currency,
    amountMinor: order.amountMinor,
    ...converted,
    rubPerUsd: rate.rubPerUsd,
    rateDate: rate.date,
    marginPpm,
    returnUrl: returnUrlOf(order.returnUrl, { paymentId: id, publicUrl: config.publicUrl }),
    email: order.email,
    createdAt,
    expiresAt,
    nextAskAt: method.isAsked ? new Date(createdAt.getTime() + firstAskMs) : null,
  });
  if (buyer !== undefined) {
    const { accountId, amountMinor } = order;
    await issueInvoice(transaction, prepareIssuing(services), {
      accountId,
      paymentId: id,
      buyer,
      amountMinor,
      expiresAt,
    });
  }
  return id;
}

function refuseAmount({ minNano, maxNano }: { minNano: NanoUsd; maxNano: NanoUsd }, creditNano: NanoUsd): void {
  if (creditNano < minNano || creditNano > maxNano) throw amountOutOfRange({ minNano, maxNano });
}

async function refuseTooMany(db: DbOrTransaction, accountId: number): Promise<void> {
  const [row] = await db
    .select({ pending: count() })
    .from(payments)
    .where(and(eq(payments.accountId, accountId), eq(payments.status, 'pending')));
  if ((row?.pending ?? 0) >= pendingMax) throw tooManyPending();
}

async function refuseDisputed(db: DbOrTransaction, accountId: number): Promise<void> {
  const disputed = await db
    .select({ id: payments.id })
    .from(payments)
    .where(and(eq(payments.accountId, accountId), isNotNull(payments.disputedAt)))
    .limit(1);
  if (disputed.length > 0) throw cardsStopped();
}

export function unknownMethod(known: readonly string[]): GatewayError {
  const expected = known.length === 0 ? 'no payment method is available' : `expected ${known.join(' or ')}`;
  return new GatewayError('invalid_parameter', `Invalid value for 'method': ${expected}.`, { param: 'method' });
}

export function wrongCurrency({ title, currencies }: Pick<PaymentMethod, 'title' | 'currencies'>): GatewayError {
  return new GatewayError(
    'invalid_parameter',
    `Invalid value for 'currency': ${title} takes ${currencies.join(' or ')}.`,
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
    `There are already ${pendingMax} orders that are not paid yet. Pay one of them, or wait until one expires.`,
  );
}

export function cardsStopped(): GatewayError {
  return new GatewayError(
    'cards_stopped',
    'A card payment of this account was disputed with the bank. Pay by bank transfer, or contact support.',
    { param: 'method' },
  );
}
