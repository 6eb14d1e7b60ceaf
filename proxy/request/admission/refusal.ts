/** Why a request cannot begin, as the error that its caller gets: what happened, and what to do about it. */
import { counted } from '../../../shared/counted.ts';
import { GatewayError } from '../../../shared/errors.ts';
import { budgetLevels } from '../../../shared/limits/budget-levels.ts';
import { rateLimits } from '../../../shared/limits/rate-limits.ts';
import { limitOf, windowEnd } from '../../../shared/limits/spend-limits.ts';
import { recordOf } from '../../../shared/members.ts';
import { formatUsd, type NanoUsd, nanoUsd } from '../../../shared/money.ts';
import type {
  BudgetShortRefusal,
  KeyRefusal,
  LimitedRefusal,
  Repetition,
  ShortRefusal,
  StartRefusal,
} from '../../../shared/wallet/reserve-reply.ts';
import type { Plan } from '../planning/plan.ts';
import type { Quote } from '../planning/quote.ts';
import { invalidKey } from './authenticate.ts';
import { affordableCap, balanceFacts, describeFacts } from './balance-facts.ts';

const retryAfterSeconds = 1;

type Refusal = StartRefusal | LimitedRefusal | Exclude<Repetition, { reason: 'answered' }>;

/** Why a key cannot be used now. */
export function keyRefusal(reason: KeyRefusal['reason']): GatewayError {
  switch (reason) {
    case 'key_unknown':
      return invalidKey();
    case 'key_expired':
      return new GatewayError('key_expired', 'This API key has expired.');
    case 'key_inactive':
      return new GatewayError('key_deactivated', 'This API key is deactivated. Its owner can activate it again.');
    case 'email_unproven':
      return new GatewayError(
        'email_not_verified',
        'The e-mail address of this account is not verified yet, so its API keys do not work. Follow the link in the ' +
          'mail sent at sign-up, or request a new one with POST /api/auth/resend-verification; then activate this key ' +
          'again or create a new one.',
      );
    case 'project_archived':
      return new GatewayError(
        'project_archived',
        'The project of this API key is archived. Its organization can restore it, or move the key to another project.',
      );
    case 'recovering':
      return walletUnavailable();
  }
}

export function refusalOf(result: Refusal, { models, dearest: { quote } }: Plan): GatewayError {
  switch (result.reason) {
    case 'model_not_allowed':
      return modelNotAllowed(models);
    case 'short':
      return tooLittle(result, quote);
    case 'budget_short':
      return budgetSpent(result, quote);
    case 'limited':
      return tooMuch(result);
    case 'in_progress':
      return new GatewayError(
        'idempotency_in_progress',
        'A request with this Idempotency-Key is still in progress. Retry when it has ended.',
        {
          retryAfterSeconds,
        },
      );
    case 'reused':
      return new GatewayError(
        'idempotency_key_reused',
        'This Idempotency-Key was used with a different body or endpoint.',
      );
    case 'wallet_missing':
      return walletUnavailable();
    default:
      return keyRefusal(result.reason);
  }
}

export function walletUnavailable(cause?: unknown): GatewayError {
  return new GatewayError(
    'wallet_unavailable',
    'The balance cannot be checked right now. Nothing was charged; please retry.',
    {
      retryAfterSeconds,
      cause,
    },
  );
}

function modelNotAllowed(models: readonly string[]): GatewayError {
  const [model] = models;
  if (models.length === 1) {
    return new GatewayError('model_not_allowed', `This API key may not use the model '${model}'.`, { param: 'model' });
  }
  const which = models.map((id) => `'${id}'`).join(', ');
  return new GatewayError('model_not_allowed', `This API key may not use all of the models ${which}.`, {
    param: 'models',
  });
}

function tooLittle(wallet: ShortRefusal, quote: Quote): GatewayError {
  const facts = describeFacts(balanceFacts(wallet, quote.amountNano, quote));
  if (wallet.heldNano > 0n && wouldDo(nanoUsd(wallet.availableNano + wallet.heldNano), quote)) {
    return new GatewayError('balance_reserved', `The balance is reserved by requests in flight (${facts}).`, {
      retryAfterSeconds,
      isReserved: true,
    });
  }
  return new GatewayError('insufficient_balance', `The balance does not cover this request (${facts}).`);
}

function budgetSpent(refusal: BudgetShortRefusal, quote: Quote): GatewayError {
  const { leftNano, amountNano, level, period } = refusal;
  const maxCost = `maximum cost: $${formatUsd(quote.amountNano)}`;
  const limit = limitOf(period);
  const { ends, ...retry } = endOfShortage(refusal, quote);
  if (level === 'key') {
    const left = `it may spend $${formatUsd(leftNano)} more ${limit.now}`;
    const whole = `The spending limit of this API key does not cover the request: ${left}, ${maxCost}${ends}.`;
    return new GatewayError('key_limit_exceeded', whole, retry);
  }
  const { whose } = budgetLevels.find(({ name }) => name === level) ?? { whose: level };
  const left = `$${formatUsd(leftNano)} of $${formatUsd(amountNano)} left`;
  return new GatewayError(
    'budget_exceeded',
    `The ${limit.adjective} budget of ${whose} does not cover the request: ${left}, ${maxCost}${ends}.`,
    retry,
  );
}

/** When a budget may cover the request: once requests in flight have ended, or it begins again. */
function endOfShortage({ leftNano, leftAtRestNano, period, zone }: BudgetShortRefusal, quote: Quote) {
  if (leftAtRestNano > leftNano && wouldDo(leftAtRestNano, quote)) {
    const held = formatUsd(nanoUsd(leftAtRestNano - leftNano));
    return {
      ends: `; requests in flight hold $${held}, so retry once they have ended`,
      retryAfterSeconds,
      isReserved: true,
    };
  }
  const limit = limitOf(period);
  if (limit.window === undefined) return { ends: '' };
  const now = new Date();
  const end = windowEnd(limit, now, zone);
  const seconds = Math.max(1, Math.ceil((end.getTime() - now.getTime()) / 1_000));
  return { ends: `; it begins again at ${end.toISOString()}`, retryAfterSeconds: seconds };
}

const exceeded = recordOf(rateLimits, (row) => [row.inScripts, row]);

export function tooMuch({ what, scope, limit, retryAfterMs }: LimitedRefusal): GatewayError {
  const whose = scope === 'key' ? 'This API key' : 'This account';
  const { noun, window } = exceeded[what];
  const most = `${counted(limit, noun)}${window === undefined ? '' : ` per ${window.per}`}`;
  return new GatewayError('rate_limit_exceeded', `${whose} is limited to ${most}.`, {
    retryAfterSeconds: Math.max(1, Math.ceil(retryAfterMs / 1_000)),
  });
}

/** Whether an amount covers the request, with a lower cap if the client has set none. */
function wouldDo(amountNano: NanoUsd, quote: Quote): boolean {
  const leastCap = quote.lowestCap > 0 ? quote.lowestCap : quote.outputCap;
  const cap = affordableCap(amountNano, quote);
  return cap !== undefined && cap >= leastCap;
}
