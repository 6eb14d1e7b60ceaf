/** What key-status.lua answers, as values: what holds for a key, what it has spent, and what its account has. */
import { type NanoUsd, nanoUsd } from '../money.ts';
import type { RateLimits, RateStatuses, SpendLimits, SpendPeriod } from './key-limits.ts';
import { type KeyRefusal, type LimitedRefusal, readKeyRefusal, readLimited, readRates } from './reserve-reply.ts';

export interface KeyStatus {
  readonly ok: true;
  readonly account: AccountFunds;
  readonly expiresAtMs: number | null;
  /** Null where the key may use all. */
  readonly allowedModels: readonly string[] | null;
  readonly rateLimits: RateLimits;
  readonly spendLimits: SpendLimits;
  /** Undefined where it was not asked for. */
  readonly spent: KeySpending | undefined;
  readonly rates: RateStatuses;
}

/** What was credited is available, held or spent. */
export interface AccountFunds {
  readonly availableNano: NanoUsd;
  readonly heldNano: NanoUsd;
  readonly creditedNano: NanoUsd;
  readonly spentNano: NanoUsd;
}

/** `heldNano` is what requests in flight may still spend, where the key has a limit. */
export type KeySpending = { readonly [Period in SpendPeriod as `${Period}Nano`]: NanoUsd } & {
  readonly heldNano: NanoUsd;
};

export type KeyStatusRefusal = (
  | KeyRefusal
  | LimitedRefusal
  | { readonly ok: false; readonly reason: 'wallet_missing' }
) & {
  readonly rates?: RateStatuses;
};

export function readKeyStatusReply(reply: readonly string[]): KeyStatus | KeyStatusRefusal {
  const [status, ...rest] = reply;
  if (status === 'OK') return readStatus(rest);
  if (status === 'MISS') return { ok: false, reason: 'wallet_missing' };
  if (status !== 'LIMITED') return readKeyRefusal(status);
  const [what = '', scope = '', limit = '', retryAfterMs = '', rates] = rest;
  return { ...readLimited(what, scope, limit, retryAfterMs), rates: readRates(rates) };
}

function readStatus(facts: readonly string[]): KeyStatus {
  const [available, held, credited, spent, expiry = '', models = '', limits = '', spendLimits = '', byKey = '', rates] =
    facts;
  const [requestsPerMinute, tokensPerMinute, concurrentStreams] = limits.split(',').map(Number);
  const [day, month, total] = spendLimits.split(',');
  return {
    ok: true,
    account: {
      availableNano: amountOf(available),
      heldNano: amountOf(held),
      creditedNano: amountOf(credited),
      spentNano: amountOf(spent),
    },
    expiresAtMs: expiry === '' ? null : Number(expiry),
    allowedModels: models === '' ? null : models.split('\n').filter((model) => model !== ''),
    rateLimits: {
      requestsPerMinute: requestsPerMinute ?? 0,
      tokensPerMinute: tokensPerMinute ?? 0,
      concurrentStreams: concurrentStreams ?? 0,
    },
    spendLimits: { dayNano: limitOf(day), monthNano: limitOf(month), totalNano: limitOf(total) },
    spent: byKey === '' ? undefined : readSpending(byKey),
    rates: readRates(rates),
  };
}

function readSpending(text: string): KeySpending {
  const [day, month, total, held] = text.split(',');
  return {
    dayNano: amountOf(day),
    monthNano: amountOf(month),
    totalNano: amountOf(total),
    heldNano: amountOf(held),
  };
}

function amountOf(text = '0'): NanoUsd {
  return nanoUsd(BigInt(text));
}

function limitOf(text = ''): bigint | null {
  return text === '' ? null : BigInt(text);
}
