/**
 * Charges saved cards of accounts whose balance is below what their customers chose. An attempt is an ordinary payment,
 * inserted under the account's lock before the provider hears of it: its id is the idempotency key, and a unique index
 * allows one attempt at a time. So two admins charge once, and what a killed one began is continued by the worker that asks
 * about payments. Until an attempt's outcome is known and counted, there is no next one.
 */
import { eq } from 'drizzle-orm';
import { type ExchangeRate, readRate } from '../../catalogue/exchange-rate/exchange-rate.ts';
import type { Transaction } from '../../database/connect.ts';
import { emailOfAccount } from '../../database/rows/email-of-account.ts';
import { type Account, lockAccount } from '../../database/rows/lock-account.ts';
import { findPayment } from '../../database/rows/payment.ts';
import { autoTopUps } from '../../database/tables/auto-top-ups.ts';
import { minorUnits } from '../../money/payment-money.ts';
import { insertPayment, isDisputed } from '../creation/create-payment.ts';
import { queuePaymentMail } from '../payment-mails.ts';
import type { PaymentServices } from '../payment-services.ts';
import { pollPayment } from '../poll-payments.ts';
import { countOutcomes } from './count-outcomes.ts';
import type { AutoTopUp } from './saved-card.ts';
import { readAutoTopUp } from './saved-card.ts';
import { hasOpenAttempt, readSpent } from './spent.ts';

const accountsAtOnce = 10;
/** An attempt that the provider has not responded to may be repeated for 23 hours; after that it has ended. */
const attemptLifetimeMs = 24 * 3_600_000;
const methodMissingPauseMs = 3_600_000;

/** One step. Returns how much there was to do. One account's failure does not stop the others. */
export async function runAutoTopUps(services: PaymentServices): Promise<number> {
  const counted = await countOutcomes(services);
  const due = await services.database.sql<{ account_id: string }[]>`
    SELECT account_id FROM auto_top_ups WHERE state = 'on' AND due_at <= ${services.now()}
    ORDER BY due_at LIMIT ${accountsAtOnce}`;
  if (due.length === 0) return counted;
  const rate = await readRate(services.database.sql, services.config);
  await Promise.all(
    due.map(async ({ account_id: accountId }) => {
      try {
        await topUp(services, Number(accountId), rate);
      } catch (error) {
        services.log.warn({ err: error, accountId }, 'an automatic top-up is not complete; it will be continued');
      }
    }),
  );
  return counted + due.length;
}

async function topUp(services: PaymentServices, accountId: number, rate: ExchangeRate): Promise<void> {
  const { db } = services.database;
  const id = await db.transaction((transaction) => createAttempt(services, transaction, { accountId, rate }));
  // Creates the payment at the provider, and asks for its outcome.
  if (id !== undefined) await pollPayment(services, await findPayment(db, id));
}

/** Returns the id of the payment that is to be made, if one is. */
async function createAttempt(
  services: PaymentServices,
  transaction: Transaction,
  { accountId, rate }: { accountId: number; rate: ExchangeRate },
): Promise<string | undefined> {
  const account = await lockAccount(transaction, accountId);
  const { settings } = await readAutoTopUp(transaction, accountId);
  const at = services.now();
  if (settings?.state !== 'on' || settings.dueAt === null || settings.dueAt > at) return undefined;
  const decision = await decide(services, transaction, { account, settings });
  await transaction
    .update(autoTopUps)
    .set(decision.isCharged ? { dueAt: null } : decision.change)
    .where(eq(autoTopUps.accountId, accountId));
  if (!decision.isCharged) {
    if (decision.change.state === 'stopped') await reportStopped(transaction, settings);
    return undefined;
  }
  const { method: methodId, currency, amountMinor } = settings;
  const method = services.methods.get(methodId);
  const email = await emailOfAccount(transaction, accountId);
  if (method === undefined || settings.cardId === null || email === undefined) return undefined;
  const input = { accountId, email, method: methodId, currency, amountMinor: minorUnits(amountMinor) };
  const { id } = await insertPayment(services, transaction, {
    input: { ...input, returnUrl: undefined },
    method,
    rate,
    automatic: { cardId: settings.cardId, lifetimeMs: attemptLifetimeMs },
  });
  return id;
}

type Change = Pick<AutoTopUp, 'dueAt'> & Partial<Pick<AutoTopUp, 'state' | 'stopReason'>>;
type Decision = { readonly isCharged: true } | { readonly isCharged: false; readonly change: Change };

const wait = (dueAt: Date | null): Decision => ({ isCharged: false, change: { dueAt } });

async function decide(
  { config, methods, now }: PaymentServices,
  transaction: Transaction,
  { account, settings }: { account: Account; settings: AutoTopUp },
): Promise<Decision> {
  const isUsable = account.deletedAt === null && account.blockedAt === null;
  if (!isUsable || settings.cardId === null || account.balanceNano >= settings.thresholdNano) return wait(null);
  // Counting its outcome looks at the balance again.
  if (await hasOpenAttempt(transaction, account.id)) return wait(null);
  if (await isDisputed(transaction, account.id)) {
    return { isCharged: false, change: { state: 'stopped', stopReason: 'dispute', dueAt: null } };
  }
  if (!methods.has(settings.method)) return wait(new Date(now().getTime() + methodMissingPauseMs));
  const spent = await readSpent(transaction, settings, { at: now(), zone: config.payments.billingTimeZone });
  if (spent.monthMinor + settings.amountMinor > settings.monthLimitMinor) return wait(spent.nextMonth);
  if (spent.dayMinor + settings.amountMinor > settings.dayLimitMinor) return wait(spent.nextDay);
  return { isCharged: true };
}

async function reportStopped(transaction: Transaction, { accountId, amountMinor, currency }: AutoTopUp): Promise<void> {
  await queuePaymentMail(
    transaction,
    { accountId },
    { kind: 'auto_top_up_stopped', data: { amountMinor: String(amountMinor), currency, reason: 'dispute' } },
  );
}
