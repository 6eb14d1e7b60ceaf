/** The limits published with a key, and how much of them is left. */

/** 0 means no limit. */
export interface RateLimits {
  readonly requestsPerMinute: number;
  readonly tokensPerMinute: number;
  readonly concurrentStreams: number;
}

/** Null falls back to the proxy's default. */
export type RateLimitOverrides = { readonly [Name in keyof RateLimits]: number | null };

/** What a key may spend per UTC day, per UTC month and in total; null means no limit. */
export interface SpendLimits {
  readonly dayNano: bigint | null;
  readonly monthNano: bigint | null;
  readonly totalNano: bigint | null;
}

export interface KeyLimits {
  readonly key: RateLimitOverrides;
  readonly account: RateLimitOverrides;
  readonly spend: SpendLimits;
}

const defaults: RateLimitOverrides = { requestsPerMinute: null, tokensPerMinute: null, concurrentStreams: null };

/** The defaults, and no spending limit. */
export const noKeyLimits: KeyLimits = {
  key: defaults,
  account: defaults,
  spend: { dayNano: null, monthNano: null, totalNano: null },
};

export type SpendPeriod = 'day' | 'month' | 'total';

/** One limit and what is left of it. */
export interface RateStatus {
  readonly limit: number;
  readonly remaining: number;
  /** Until it is fully restored. */
  readonly resetMs: number;
}

/** The tighter of the key's limit and its account's; undefined if there is none. */
export interface RateStatuses {
  readonly requests: RateStatus | undefined;
  readonly tokens: RateStatus | undefined;
}

/** Named as in limits.lua; limits that fall back to a default are left out. */
export function encodeKeyLimits({ key, account, spend }: KeyLimits): Record<string, string> {
  const limits = {
    keyRequests: key.requestsPerMinute,
    keyTokens: key.tokensPerMinute,
    keyStreams: key.concurrentStreams,
    accountRequests: account.requestsPerMinute,
    accountTokens: account.tokensPerMinute,
    accountStreams: account.concurrentStreams,
    spendDay: spend.dayNano,
    spendMonth: spend.monthNano,
    spendTotal: spend.totalNano,
  };
  const own: Record<string, string> = {};
  for (const [name, limit] of Object.entries(limits)) if (limit !== null) own[name] = String(limit);
  return own;
}
