/** The parsed reply of key-status.lua: a key's limits, its spending, and its account's balance. */
import { perRateLimit } from '../limits/rate-limits.ts';
import { type PerSpendLimit, perSpendLimit } from '../limits/spend-limits.ts';
import { type NanoUsd, nanoUsd } from '../money.ts';
import type { RateLimits, RateStatuses } from './key-limits.ts';
import {
  type KeyRefusal,
  type LimitedRefusal,
  type OtherRules,
  type RefusalFacts,
  readKeyRefusal,
  readLimited,
  readOtherRules,
  readRates,
  readRefusalFacts,
} from './reserve-reply.ts';
import type { Reply } from './script.ts';

export interface KeyStatus {
  readonly ok: true;
  readonly accountId: number;
  readonly account: AccountFunds;
  readonly expiresAtMs: number | null;
  /** Null if the key may use every model. */
  readonly allowedModels: readonly string[] | null;
  readonly rateLimits: RateLimits;
  readonly spendLimitsNano: PerSpendLimit<bigint | null>;
  /** Undefined if it was not asked for. */
  readonly spent: KeySpending | undefined;
  readonly rates: RateStatuses;
}

/** The credited amount is the sum of the available, the held and the spent one. */
export interface AccountFunds {
  readonly availableNano: NanoUsd;
  readonly heldNano: NanoUsd;
  readonly creditedNano: NanoUsd;
  readonly spentNano: NanoUsd;
}

export interface KeySpending {
  readonly spentNano: PerSpendLimit<NanoUsd>;
  /** What requests in flight may still spend, if the key has a spending limit. */
  readonly heldNano: NanoUsd;
}

export type KeyStatusRefusal = (
  | KeyRefusal
  | LimitedRefusal
  | { readonly ok: false; readonly reason: 'wallet_missing' }
) &
  RefusalFacts;

export function readKeyStatusReply(reply: Reply): KeyStatus | KeyStatusRefusal | OtherRules {
  if (reply.status === 'OK') return readStatus(reply);
  if (reply.status === 'MISS') return { ok: false, reason: 'wallet_missing' };
  if (reply.status === 'OTHER_RULES') return readOtherRules(reply);
  if (reply.status === 'LIMITED') return { ...readLimited(reply), ...readRefusalFacts(reply) };
  return readKeyRefusal(reply);
}

function readStatus(reply: Reply): KeyStatus {
  const { available, held, credited, spent, expiresAt = '', models = '' } = reply;
  return {
    ok: true,
    accountId: Number(reply.account),
    account: {
      availableNano: amountOf(available),
      heldNano: amountOf(held),
      creditedNano: amountOf(credited),
      spentNano: amountOf(spent),
    },
    expiresAtMs: expiresAt === '' ? null : Number(expiresAt),
    allowedModels: models === '' ? null : models.split('\n').filter((model) => model !== ''),
    rateLimits: perRateLimit(({ published }) => Number(reply[published.key])),
    spendLimitsNano: perSpendLimit(({ published }) => limitOf(reply[published])),
    spent: readSpending(reply),
    rates: readRates(reply),
  };
}

function readSpending(reply: Reply): KeySpending | undefined {
  if (reply.keyHeld === undefined) return undefined;
  return { spentNano: perSpendLimit(({ counted }) => amountOf(reply[counted])), heldNano: amountOf(reply.keyHeld) };
}

function amountOf(text = '0'): NanoUsd {
  return nanoUsd(BigInt(text));
}

function limitOf(text: string | undefined): bigint | null {
  return text === undefined ? null : BigInt(text);
}
