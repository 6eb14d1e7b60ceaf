/**
 * How fast a key, and all keys of an account together, may be used: the one table from which the windows of the wallet's
 * scripts, what is published to them, columns, defaults, /api, the command line, GET /v1/key and the dashboard derive. A row
 * is a contract with every version, so its names and its place never change. How to add one is in docs/contributing.md.
 *
 * The scripts and the dashboard read it too, so it is plain data.
 */
import { recordOf } from '../members.ts';

interface RateLimitRow {
  /** In /api, TypeScript and the dashboard. */
  readonly name: string;
  /** Of `api_keys` and `accounts`. */
  readonly column: string;
  /** On the command line. */
  readonly option: string;
  /** The variable with the default of a key, 0 for no limit, and the default without it. */
  readonly variable: string;
  readonly fallback: number;
  /** In the scripts and their replies. */
  readonly inScripts: string;
  /** In what is published with a key: the key's own limit, and its account's. */
  readonly published: { readonly key: string; readonly account: string };
  /** What is counted: every request, its tokens, or requests as long as they run. */
  readonly counts: 'requests' | 'tokens' | 'streams';
  /** The time in which the limit is restored; undefined for what is counted as long as it runs. */
  readonly window: { readonly per: string; readonly ms: number; readonly keptAt: number } | undefined;
  /** In a hold, how long one of its tokens takes to drain from the limit; undefined for what is not tokens. */
  readonly drain: { readonly key: string; readonly account: string } | undefined;
  /** Whether each response has it in its `x-ratelimit-…` headers, under what it counts. */
  readonly inHeaders: boolean;
  /** "This API key is limited to 60 requests …" */
  readonly noun: string;
  /** In GET /v1/key, and what that says about it. */
  readonly statusName: string;
  readonly statusMeans: string;
  /** What the command line calls it. */
  readonly label: string;
  /** What /api says about it. */
  readonly means: string;
}

/** In the order in which they are shown, and checked. `keptAt` is the place of a window's time in the field `rate`, from 1. */
export const rateLimits = [
  {
    name: 'requestsPerMinute',
    column: 'requests_per_minute',
    option: 'requests-per-minute',
    variable: 'RATE_LIMIT_REQUESTS_PER_MINUTE',
    fallback: 6_000,
    inScripts: 'requests',
    published: { key: 'keyRequests', account: 'accountRequests' },
    counts: 'requests',
    window: { per: 'minute', ms: 60_000, keptAt: 1 },
    drain: undefined,
    inHeaders: true,
    noun: 'request',
    statusName: 'requests',
    statusMeans: 'Requests per interval',
    label: 'Requests per minute',
    means: 'Requests per minute',
  },
  {
    name: 'tokensPerMinute',
    column: 'tokens_per_minute',
    option: 'tokens-per-minute',
    variable: 'RATE_LIMIT_TOKENS_PER_MINUTE',
    fallback: 20_000_000,
    inScripts: 'tokens',
    published: { key: 'keyTokens', account: 'accountTokens' },
    counts: 'tokens',
    window: { per: 'minute', ms: 60_000, keptAt: 2 },
    drain: { key: 'keyTokenMs', account: 'accountTokenMs' },
    inHeaders: true,
    noun: 'token',
    statusName: 'tokens',
    statusMeans: 'Tokens per interval',
    label: 'Tokens per minute',
    means: 'Tokens of prompts and completions per minute',
  },
  {
    name: 'concurrentStreams',
    column: 'concurrent_streams',
    option: 'concurrent-streams',
    variable: 'RATE_LIMIT_CONCURRENT_STREAMS',
    fallback: 1_000,
    inScripts: 'streams',
    published: { key: 'keyStreams', account: 'accountStreams' },
    counts: 'streams',
    window: undefined,
    drain: undefined,
    inHeaders: false,
    noun: 'concurrent request',
    statusName: 'concurrent_requests',
    statusMeans: 'Concurrent requests',
    label: 'Concurrent requests',
    means: 'Concurrent requests, streamed or not',
  },
] as const satisfies readonly RateLimitRow[];

export type RateLimit = (typeof rateLimits)[number];
/** `requestsPerMinute` */
export type RateLimitName = RateLimit['name'];
type WindowedRate = Exclude<RateLimit, { readonly window: undefined }>;
/** `requests`: of a limit with a window. */
export type RateWindowName = WindowedRate['inScripts'];
export type PerRateLimit<Value> = Readonly<Record<RateLimitName, Value>>;

/** Those of so many in a time, in the order in which the scripts keep them. */
export const rateWindows: readonly WindowedRate[] = rateLimits
  .filter((limit): limit is WindowedRate => limit.window !== undefined)
  .toSorted((one, other) => one.window.keptAt - other.window.keptAt);

export function perRateLimit<Value>(read: (limit: RateLimit) => Value): Record<RateLimitName, Value> {
  return recordOf(rateLimits, (limit) => [limit.name, read(limit)]);
}

/** Those alone, of anything that has them. */
export function rateLimitsOf<Value>(limits: PerRateLimit<Value>): Record<RateLimitName, Value> {
  return perRateLimit(({ name }) => limits[name]);
}
