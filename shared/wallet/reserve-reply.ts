/** The parsed replies of reserve.lua and peek.lua. */
import type { PublishedRules } from '../keys/key-rules.ts';
import { type BudgetLevelName, budgetKinds } from '../limits/budget-levels.ts';
import { type RateLimit, type RateWindowName, rateLimits, rateWindows } from '../limits/rate-limits.ts';
import type { SpendLimitName } from '../limits/spend-limits.ts';
import { decodeOffsets, type ZoneOffsets } from '../limits/zone-offsets.ts';
import { recordOf } from '../members.ts';
import { type NanoUsd, nanoUsd } from '../money.ts';
import { type DimensionName, decodeDimensionNames } from '../usage/dimension-names.ts';
import type { RateStatus, RateStatuses } from './key-limits.ts';
import type { Reply } from './script.ts';

export interface Reservation {
  readonly ok: true;
  readonly accountId: number;
  readonly keyId: number;
  readonly assignment: string;
  /** What else its charge is attributed to; undefined if nothing. */
  readonly dimensions: readonly DimensionName[] | undefined;
  readonly outputCap: number;
  /** The amount held: less than requested if the cap was lowered. */
  readonly amountNano: NanoUsd;
  readonly epoch: string;
  readonly rates: RateStatuses;
  /** What the key may still spend, by the balance and its own limits; undefined if the hold was made earlier. */
  readonly leftNano: NanoUsd | undefined;
  /** How many more requests may run at the same time; undefined if that is not limited. */
  readonly streamsLeft: number | undefined;
}

/** A reserve would succeed with this cap and hold this amount. */
export interface Peek {
  readonly ok: true;
  readonly outputCap: number;
  readonly amountNano: NanoUsd;
  /** The wallet's current balance. */
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

/** The balance is sufficient, but a budget of the key, or of what it belongs to, leaves only this much. */
export interface BudgetShortRefusal {
  readonly ok: false;
  readonly reason: 'budget_short';
  readonly leftNano: NanoUsd;
  /** What the balance and all budgets will leave once no request holds anything. */
  readonly leftAtRestNano: NanoUsd;
  readonly level: BudgetLevelName;
  readonly period: SpendLimitName;
  /** Of the budget. */
  readonly amountNano: NanoUsd;
  /** In which its period begins again. */
  readonly zone: ZoneOffsets;
}

export interface LimitedRefusal {
  readonly ok: false;
  readonly reason: 'limited';
  readonly what: RateLimit['inScripts'];
  readonly scope: 'key' | 'account';
  readonly limit: number;
  readonly retryAfterMs: number;
}

/** Why a key cannot be used now. */
export interface KeyRefusal {
  readonly ok: false;
  readonly reason:
    | 'key_unknown'
    | 'key_inactive'
    | 'key_expired'
    | 'email_unproven'
    | 'project_archived'
    | 'recovering';
}

/** The key has other rules than the caller has judged by: it has to judge again. */
export interface OtherRules {
  readonly ok: false;
  readonly reason: 'other_rules';
  readonly rules: PublishedRules;
}

/** Why a request cannot begin. */
export type StartRefusal =
  | ShortRefusal
  | BudgetShortRefusal
  | KeyRefusal
  | { readonly ok: false; readonly reason: 'model_not_allowed' | 'wallet_missing' };

/** The outcome of an earlier request with the same Idempotency-Key; its response is null if it was too large to keep. */
export type Repetition =
  | { readonly ok: false; readonly reason: 'in_progress' | 'reused' }
  | { readonly ok: false; readonly reason: 'answered'; readonly response: string | null };

export interface RefusalFacts {
  readonly rates?: RateStatuses;
  /** The account, if it has leases: once they have returned what no request uses, it may not be refused. */
  readonly leasesOf?: number | undefined;
}

export type PeekRefusal = (StartRefusal | LimitedRefusal) & RefusalFacts;

export type ReserveRefusal = (
  | StartRefusal
  | LimitedRefusal
  | Repetition
  | { readonly ok: false; readonly reason: 'already_done' }
) &
  RefusalFacts;

export function readReserveReply(reply: Reply): Reservation | ReserveRefusal | OtherRules {
  switch (reply.status) {
    case 'OK':
      return {
        ok: true,
        accountId: Number(reply.account),
        keyId: Number(reply.key),
        assignment: reply.assignment ?? '',
        dimensions: decodeDimensionNames(reply.dimensions),
        outputCap: Number(reply.cap),
        amountNano: amountOf(reply.amount),
        epoch: reply.epoch ?? '',
        rates: readRates(reply),
        leftNano: reply.left === undefined ? undefined : amountOf(reply.left),
        streamsLeft: reply.streamsLeft === undefined ? undefined : Number(reply.streamsLeft),
      };
    case 'DONE':
      return { ok: false, reason: 'already_done' };
    case 'ANSWERED':
      return { ok: false, reason: 'answered', response: reply.answer || null, rates: readRates(reply) };
    case 'IN_PROGRESS':
      return { ok: false, reason: 'in_progress', rates: readRates(reply) };
    case 'REUSED':
      return { ok: false, reason: 'reused', rates: readRates(reply) };
    case 'OTHER_RULES':
      return readOtherRules(reply);
    default:
      return readPeekRefusal(reply);
  }
}

export function readPeekReply(reply: Reply): Peek | PeekRefusal | OtherRules {
  if (reply.status === 'OTHER_RULES') return readOtherRules(reply);
  if (reply.status !== 'OK') return readPeekRefusal(reply);
  return {
    ok: true,
    availableNano: amountOf(reply.available),
    heldNano: amountOf(reply.held),
    outputCap: Number(reply.cap),
    amountNano: amountOf(reply.amount),
    rates: readRates(reply),
  };
}

function readPeekRefusal(reply: Reply): PeekRefusal {
  switch (reply.status) {
    case 'LIMITED':
      return { ...readLimited(reply), ...readRefusalFacts(reply) };
    case 'SHORT':
      return { ...readShort(reply), ...readRefusalFacts(reply) };
    case 'BUDGET_SHORT':
      return { ...readBudgetShort(reply), ...readRefusalFacts(reply) };
    case 'MODEL_NOT_ALLOWED':
      return { ok: false, reason: 'model_not_allowed' };
    case 'MISS':
      return { ok: false, reason: 'wallet_missing' };
    default:
      return readKeyRefusal(reply);
  }
}

export function readOtherRules(reply: Reply): OtherRules {
  return { ok: false, reason: 'other_rules', rules: readRules(reply) };
}

export function readRules({ rulesMark: mark = '', rules: text = '' }: Reply): PublishedRules {
  return { mark, text };
}

export function readKeyRefusal({ status }: Reply): KeyRefusal {
  switch (status) {
    case 'KEY_UNKNOWN':
      return { ok: false, reason: 'key_unknown' };
    case 'KEY_INACTIVE':
      return { ok: false, reason: 'key_inactive' };
    case 'KEY_EXPIRED':
      return { ok: false, reason: 'key_expired' };
    case 'EMAIL_UNPROVEN':
      return { ok: false, reason: 'email_unproven' };
    case 'PROJECT_ARCHIVED':
      return { ok: false, reason: 'project_archived' };
    case 'RECOVERING':
      return { ok: false, reason: 'recovering' };
    default:
      throw new Error(`a wallet script returned ${status}`);
  }
}

export function readLimited({ what, scope, limit, waitMs }: Reply): LimitedRefusal {
  const exceeded = rateLimits.find(({ inScripts }) => inScripts === what);
  if (exceeded === undefined) throw new Error(`a wallet script returned the limit ${what}`);
  return {
    ok: false,
    reason: 'limited',
    what: exceeded.inScripts,
    scope: scope === 'key' ? 'key' : 'account',
    limit: Number(limit),
    retryAfterMs: Number(waitMs),
  };
}

function readShort({ available, held }: Reply): ShortRefusal {
  return { ok: false, reason: 'short', availableNano: amountOf(available), heldNano: amountOf(held) };
}

function readBudgetShort({ left, atRest, period, level, most, zone = '' }: Reply): BudgetShortRefusal {
  const tightest = budgetKinds.find((kind) => kind.limit.name === period && kind.level.name === level);
  if (tightest === undefined) throw new Error(`a wallet script returned the budget ${level} ${period}`);
  const { level: whose, limit } = tightest;
  const budget = { level: whose.name, period: limit.name, amountNano: amountOf(most), zone: decodeOffsets(zone) };
  const amounts = { leftNano: amountOf(left), leftAtRestNano: amountOf(atRest) };
  return { ok: false, reason: 'budget_short', ...amounts, ...budget };
}

const noRates: Record<RateWindowName, RateStatus | undefined> = recordOf(rateWindows, (row) => [
  row.inScripts,
  undefined,
]);

/** In the form that with_rates in limits.lua writes. */
export function readRates(reply: Reply): RateStatuses {
  // Every reserve reads them, so without a list of entries in between.
  const rates = { ...noRates };
  for (const { inScripts } of rateWindows) rates[inScripts] = readRate(reply[inScripts]);
  return rates;
}

function readRate(written: string | undefined): RateStatus | undefined {
  if (written === undefined) return undefined;
  const [limit, remaining, resetMs] = written.split(' ');
  return { limit: Number(limit), remaining: Number(remaining), resetMs: Number(resetMs) };
}

export function readRefusalFacts(reply: Reply): RefusalFacts {
  return { rates: readRates(reply), leasesOf: reply.leasesOf === undefined ? undefined : Number(reply.leasesOf) };
}

/** Throws if it is missing: an unknown amount must not become 0. */
function amountOf(text = ''): NanoUsd {
  if (text === '') throw new Error('a wallet script returned no amount');
  return nanoUsd(BigInt(text));
}
