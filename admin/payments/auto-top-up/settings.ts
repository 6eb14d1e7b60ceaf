/** What a customer has chosen for automatic top-ups: switched on with consent, off at any time. */
import { eq } from 'drizzle-orm';
import { GatewayError } from '../../../shared/errors.ts';
import type { Language } from '../../../shared/languages.ts';
import { formatUsd, type NanoUsd, walletLimitNano } from '../../../shared/money.ts';
import type { ExchangeRate } from '../../catalogue/exchange-rate/exchange-rate.ts';
import type { Transaction } from '../../database/connect.ts';
import { refuseDeleted } from '../../database/rows/account-state.ts';
import { lockAccount } from '../../database/rows/lock-account.ts';
import { amountText } from '../../database/rows/payment.ts';
import { autoTopUpConsents, autoTopUps } from '../../database/tables/auto-top-ups.ts';
import type { PaymentCurrency } from '../../database/tables/payments.ts';
import type { MinorUnits } from '../../money/payment-money.ts';
import { convertAmount } from '../creation/convert-amount.ts';
import { refuseAmount, refuseDisputed, unknownMethod, wrongCurrency } from '../creation/create-payment.ts';
import type { PaymentServices } from '../payment-services.ts';
import { consentTextOf, consentVersion } from './consent-text.ts';
import { forgetCard, readAutoTopUp } from './saved-card.ts';

export interface AutoTopUpChoice {
  readonly method: string;
  readonly currency: PaymentCurrency;
  readonly amountMinor: MinorUnits;
  readonly thresholdNano: NanoUsd;
  readonly dayLimitMinor: MinorUnits;
  readonly monthLimitMinor: MinorUnits;
}

export interface Consent {
  readonly version: string;
  readonly language: Language;
  /** Of the browser. */
  readonly address: string | null;
}

type Services = Pick<PaymentServices, 'config' | 'methods' | 'now'>;

/** Throws GatewayError for a choice that cannot be taken, or without consent to the present text. */
export async function switchOn(
  services: Services,
  transaction: Transaction,
  input: { accountId: number; choice: AutoTopUpChoice; consent: Consent; rate: ExchangeRate },
): Promise<void> {
  const { accountId, choice, consent, rate } = input;
  refuseChoice(services, choice, rate);
  if (consent.version !== consentVersion) throw consentMissing();
  await lockAccount(transaction, accountId);
  await refuseDeleted(transaction, accountId);
  await refuseDisputed(transaction, accountId);
  const { settings, card } = await readAutoTopUp(transaction, accountId);
  const keptCard = card !== undefined && card.method === choice.method ? card.id : null;
  if (keptCard === null) await forgetCard(transaction, settings?.cardId ?? null);
  const at = services.now();
  const row = {
    ...choice,
    state: 'on' as const,
    cardId: keptCard,
    failures: 0,
    stopReason: null,
    // The balance may be below the threshold already.
    dueAt: keptCard === null ? null : at,
    updatedAt: at,
  };
  await transaction
    .insert(autoTopUps)
    .values({ accountId, ...row })
    .onConflictDoUpdate({ target: autoTopUps.accountId, set: row });
  await transaction.insert(autoTopUpConsents).values({
    accountId,
    textVersion: consent.version,
    words: consentTextOf(consent.language, {
      amount: amountText(choice.amountMinor, choice.currency),
      threshold: `${formatUsd(choice.thresholdNano)} USD`,
      dayLimit: amountText(choice.dayLimitMinor, choice.currency),
      monthLimit: amountText(choice.monthLimitMinor, choice.currency),
    }),
    address: consent.address,
    givenAt: at,
  });
}

/** Forgets the card. A charge that is under way is not stopped. */
export async function switchOff(transaction: Transaction, accountId: number, at: Date): Promise<void> {
  await lockAccount(transaction, accountId);
  const { settings } = await readAutoTopUp(transaction, accountId);
  if (settings === undefined) return;
  await transaction
    .update(autoTopUps)
    .set({ state: 'off', cardId: null, failures: 0, stopReason: null, dueAt: null, updatedAt: at })
    .where(eq(autoTopUps.accountId, accountId));
  await forgetCard(transaction, settings.cardId);
}

function refuseChoice({ config, methods }: Services, choice: AutoTopUpChoice, rate: ExchangeRate): void {
  const able = [...methods.values()].filter(({ savesCards }) => savesCards);
  const method = able.find(({ id }) => id === choice.method);
  if (method === undefined) throw unknownMethod(able.map(({ id }) => id));
  if (!method.currencies.includes(choice.currency)) throw wrongCurrency(method);
  const { creditNano } = convertAmount(choice, rate, config.payments.marginPpm);
  refuseAmount(config.payments, creditNano);
  if (choice.dayLimitMinor < choice.amountMinor) throw limitTooSmall('dayLimit', 'amount');
  if (choice.monthLimitMinor < choice.dayLimitMinor) throw limitTooSmall('monthLimit', 'dayLimit');
  if (choice.thresholdNano <= 0n || choice.thresholdNano + creditNano > walletLimitNano) throw badThreshold();
}

export function consentMissing(): GatewayError {
  return new GatewayError(
    'auto_top_up_consent',
    `Automatic top-ups need the customer's consent to the text of version ${consentVersion}, which GET ` +
      '/api/payments/auto-top-up returns. Show it, and send its version as consentVersion.',
    { param: 'consentVersion' },
  );
}

function limitTooSmall(param: 'dayLimit' | 'monthLimit', than: 'amount' | 'dayLimit'): GatewayError {
  return new GatewayError('invalid_parameter', `Invalid value for '${param}': it is less than '${than}'.`, { param });
}

function badThreshold(): GatewayError {
  return new GatewayError(
    'invalid_parameter',
    `Invalid value for 'belowUsd': expected an amount above 0, with which the balance stays below ${formatUsd(walletLimitNano)} USD.`,
    { param: 'belowUsd' },
  );
}
