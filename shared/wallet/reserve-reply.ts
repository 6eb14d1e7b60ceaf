/** What the scripts reserve and peek answer, as values. */
import { type NanoUsd, nanoUsd } from '../money.ts';
import type { RateStatus, RateStatuses, SpendPeriod } from './key-limits.ts';

export interface Reservation {
  readonly ok: true;
  readonly accountId: number;
  readonly keyId: number;
  readonly outputCap: number;
  /** What is held: less than was asked for where the cap was lowered. */
  readonly amountNano: NanoUsd;
  readonly epoch: string;
  readonly rates: RateStatuses;
}

/** A reserve would succeed with this cap and hold this amount. */
export interface Peek {
  readonly ok: true;
  readonly outputCap: number;
  readonly amountNano: NanoUsd;
  /** What the wallet has now. */
  readonly availableNano: NanoUsd;
  readonly heldNano: NanoUsd;
  readonly rates: RateStatuses;
}

export interface ShortRefusal {
  readonly ok: false;
  readonly reason: 'short';
  readonly availableNano: NanoUsd;
  readonly heldNano: NanoUsd;
}

/** The wallet would do, but the key may spend only this much more in the period. */
export interface KeyShortRefusal {
  readonly ok: false;
  readonly reason: 'key_short';
  readonly leftNano: NanoUsd;
  readonly period: SpendPeriod;
}

export interface LimitedRefusal {
  readonly ok: false;
  readonly reason: 'limited';
  readonly what: 'requests' | 'tokens' | 'streams';
  readonly scope: 'key' | 'account';
  readonly limit: number;
  readonly retryAfterMs: number;
}

/** Why a key cannot be used now. */
export interface KeyRefusal {
  readonly ok: false;
  readonly reason: 'key_unknown' | 'key_inactive' | 'key_expired' | 'email_unproven' | 'recovering';
}

/** Why a request cannot begin. */
export type StartRefusal =
  | ShortRefusal
  | KeyShortRefusal
  | KeyRefusal
  | { readonly ok: false; readonly reason: 'model_not_allowed' | 'wallet_missing' };

/** What became of an earlier request with the same Idempotency-Key; its answer is null where it was too large. */
export type Repetition =
  | { readonly ok: false; readonly reason: 'in_progress' | 'reused' }
  | { readonly ok: false; readonly reason: 'answered'; readonly answer: string | null };

export type PeekRefusal = (StartRefusal | LimitedRefusal) & { readonly rates?: RateStatuses };

export type ReserveRefusal = (
  | StartRefusal
  | LimitedRefusal
  | Repetition
  | { readonly ok: false; readonly reason: 'already_done' }
) & { readonly rates?: RateStatuses };

export function readReserveReply(reply: readonly string[]): Reservation | ReserveRefusal {
  const [status, first = '', second = '', third = '', fourth = ''] = reply;
  switch (status) {
    case 'OK':
      return {
        ok: true,
        accountId: Number(first),
        keyId: Number(second),
        outputCap: Number(third),
        amountNano: nanoUsd(BigInt(fourth)),
        epoch: reply[5] ?? '',
        rates: readRates(reply[6]),
      };
    case 'LIMITED':
      return { ...readLimited(first, second, third, fourth), rates: readRates(reply[5]) };
    case 'SHORT':
      return { ...readShort(first, second), rates: readRates(reply[3]) };
    case 'KEY_SHORT':
      return { ...readKeyShort(first, second), rates: readRates(reply[3]) };
    case 'DONE':
      return { ok: false, reason: 'already_done' };
    case 'ANSWERED':
      return { ok: false, reason: 'answered', answer: first === '' ? null : first, rates: readRates(second) };
    case 'IN_PROGRESS':
      return { ok: false, reason: 'in_progress', rates: readRates(first) };
    case 'REUSED':
      return { ok: false, reason: 'reused', rates: readRates(first) };
    default:
      return readRefusal(status);
  }
}

export function readPeekReply(reply: readonly string[]): Peek | PeekRefusal {
  const [status, first = '', second = '', third = '', fourth = ''] = reply;
  switch (status) {
    case 'OK':
      return {
        ok: true,
        availableNano: nanoUsd(BigInt(first)),
        heldNano: nanoUsd(BigInt(second)),
        outputCap: Number(third),
        amountNano: nanoUsd(BigInt(fourth)),
        rates: readRates(reply[5]),
      };
    case 'LIMITED':
      return { ...readLimited(first, second, third, fourth), rates: readRates(reply[5]) };
    case 'SHORT':
      return { ...readShort(first, second), rates: readRates(reply[3]) };
    case 'KEY_SHORT':
      return { ...readKeyShort(third, fourth), rates: readRates(reply[5]) };
    default:
      return readRefusal(status);
  }
}

function readRefusal(status: string | undefined): StartRefusal {
  if (status === 'MODEL_NOT_ALLOWED') return { ok: false, reason: 'model_not_allowed' };
  if (status === 'MISS') return { ok: false, reason: 'wallet_missing' };
  return readKeyRefusal(status);
}

export function readKeyRefusal(status: string | undefined): KeyRefusal {
  switch (status) {
    case 'KEY_UNKNOWN':
      return { ok: false, reason: 'key_unknown' };
    case 'KEY_INACTIVE':
      return { ok: false, reason: 'key_inactive' };
    case 'KEY_EXPIRED':
      return { ok: false, reason: 'key_expired' };
    case 'EMAIL_UNPROVEN':
      return { ok: false, reason: 'email_unproven' };
    case 'RECOVERING':
      return { ok: false, reason: 'recovering' };
    default:
      throw new Error(`a wallet script answered ${status}`);
  }
}

export function readLimited(what: string, scope: string, limit: string, retryAfterMs: string): LimitedRefusal {
  return {
    ok: false,
    reason: 'limited',
    what: what === 'requests' || what === 'tokens' ? what : 'streams',
    scope: scope === 'key' ? 'key' : 'account',
    limit: Number(limit),
    retryAfterMs: Number(retryAfterMs),
  };
}

function readShort(available: string, held: string): ShortRefusal {
  return { ok: false, reason: 'short', availableNano: nanoUsd(BigInt(available)), heldNano: nanoUsd(BigInt(held)) };
}

function readKeyShort(left: string, period: string): KeyShortRefusal {
  const known = period === 'day' || period === 'month' ? period : 'total';
  return { ok: false, reason: 'key_short', leftNano: nanoUsd(BigInt(left)), period: known };
}

/** `requests;tokens`, each as `limit,remaining,milliseconds` or empty. */
export function readRates(rates = ';'): RateStatuses {
  const [requests = '', tokens = ''] = rates.split(';');
  return { requests: readRate(requests), tokens: readRate(tokens) };
}

function readRate(rate: string): RateStatus | undefined {
  if (rate === '') return undefined;
  const [limit, remaining, resetMs] = rate.split(',');
  return { limit: Number(limit), remaining: Number(remaining), resetMs: Number(resetMs) };
}
