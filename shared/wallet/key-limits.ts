/** The limits published with a key, and how much of them is left. */
import { type Budgets, budgetKinds, noBudgets, type PerBudgetLevel } from '../limits/budget-levels.ts';
import { type PerRateLimit, perRateLimit, type RateWindowName, rateLimits } from '../limits/rate-limits.ts';
import { rateLimitsInScripts } from './limit-rows.ts';

/** 0 means no limit. */
export type RateLimits = PerRateLimit<number>;

/** Null falls back to the proxy's default. */
export type RateLimitOverrides = PerRateLimit<number | null>;

export interface KeyLimits {
  readonly key: RateLimitOverrides;
  readonly account: RateLimitOverrides;
  /** What the key may spend; null means no limit. */
  readonly spendNano: Budgets;
  /** What may be spent at the other levels that the key belongs to. */
  readonly budgetsNano?: Partial<PerBudgetLevel<Budgets>>;
}

const defaults: RateLimitOverrides = perRateLimit(() => null);

/** The defaults, and no spending limit. */
export const noKeyLimits: KeyLimits = { key: defaults, account: defaults, spendNano: noBudgets };

/** One limit and what is left of it. */
export interface RateStatus {
  readonly limit: number;
  readonly remaining: number;
  /** Until it is fully restored. */
  readonly resetMs: number;
}

/** The tighter of the key's limit and its account's; undefined if there is none. */
export type RateStatuses = Readonly<Record<RateWindowName, RateStatus | undefined>>;

/** Limits that fall back to a default are left out. */
export function encodeKeyLimits({ key, account, spendNano, budgetsNano }: KeyLimits): Record<string, string> {
  const budgets: Partial<PerBudgetLevel<Budgets>> = { ...budgetsNano, key: spendNano };
  const limits: [string, number | bigint | null][] = [
    ...rateLimits.map(({ name, published }): [string, number | null] => [published.key, key[name]]),
    ...rateLimits.map(({ name, published }): [string, number | null] => [published.account, account[name]]),
    ...budgetKinds.map(({ level, limit, published }): [string, bigint | null] => [
      published,
      budgets[level.name]?.[limit.name] ?? null,
    ]),
  ];
  return Object.fromEntries(limits.filter(([, limit]) => limit !== null).map(([name, limit]) => [name, String(limit)]));
}

/** The limits of a key without its own as one text, which a script reads once for all requests that have the same. */
export function encodeDefaults(limits: RateLimits): string {
  let encoded = encodedDefaults.get(limits);
  if (encoded === undefined) {
    encoded = rateLimitsInScripts.map(({ name }) => limits[name]).join(' ');
    encodedDefaults.set(limits, encoded);
  }
  return encoded;
}

/** A program has the same ones for all requests. */
const encodedDefaults = new WeakMap<RateLimits, string>();
