/** Limits of a key, as they are published with it, and where it stands with them. */

/** 0 means no limit. */
export interface RateLimits {
  readonly requestsPerMinute: number;
  readonly tokensPerMinute: number;
  readonly concurrentStreams: number;
}

/** What is null falls back to the proxy's defaults. */
export type RateLimitOverrides = { readonly [Name in keyof RateLimits]: number | null };

/** What a key may spend in a day and a month of UTC, and in all; null means no limit. */
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

/** Nothing of its own. */
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
  /** Until it is whole again. */
  readonly resetMs: number;
}

/** The tighter of the key's limit and its account's; undefined where there is none. */
export interface RateStatuses {
  readonly requests: RateStatus | undefined;
  readonly tokens: RateStatus | undefined;
}

/** As the scripts read it: empty where all are defaults. */
export function encodeKeyLimits({ key, account, spend }: KeyLimits): string {
  const rates = [key, account].map((limits) =>
    encode([limits.requestsPerMinute, limits.tokensPerMinute, limits.concurrentStreams]),
  );
  const encoded = [...rates, encode([spend.dayNano, spend.monthNano, spend.totalNano])].join(';');
  return /\d/.test(encoded) ? encoded : '';
}

export function encodeRateLimits({ requestsPerMinute, tokensPerMinute, concurrentStreams }: RateLimits): string {
  return `${requestsPerMinute},${tokensPerMinute},${concurrentStreams}`;
}

function encode(values: readonly (number | bigint | null)[]): string {
  return values.map((value) => (value === null ? '' : String(value))).join(',');
}
