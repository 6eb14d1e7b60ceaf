/**
 * What an API key may spend: the one table from which the windows of the wallet's scripts, what is published to them and
 * loaded from the ledger, columns, /api, the command line, GET /v1/key and the dashboard derive. A row is a contract with
 * every version, so its names and its place never change. How to add one is in docs/contributing.md.
 *
 * The scripts and the dashboard read it too, so it is plain data.
 */
import { recordOf } from '../members.ts';

interface SpendLimitRow {
  /** In /api and the dashboard, and on the command line as `--spend-day`. */
  readonly name: string;
  /** When it begins again: every so many milliseconds since 1970, every month in UTC, or never. */
  readonly window: { readonly ms: number } | 'month' | undefined;
  /** The limit among the columns of `api_keys`, and in TypeScript. */
  readonly column: string;
  readonly property: string;
  /** The limit in what is published with a key. */
  readonly published: string;
  /**
   * What was spent in the window, in `{s}:spend:<key id>`; the window's number is beside it under the limit's name. Without
   * a window it has that name itself.
   */
  readonly counted: string;
  /** The place of what was spent in the list `{s}:spent:<key id>`, from 1; the window's number is in the place before. */
  readonly shownAt: number;
  /** What /api calls what was spent in the current window, and says when that began; undefined without a window. */
  readonly spent: { readonly name: string; readonly since: string } | undefined;
  /** In GET /v1/key, as `limit_daily`, and in the description of the error. */
  readonly adjective: string;
  /** "What the key may spend …" */
  readonly per: string;
  /** "What it can still spend …" */
  readonly now: string;
  /** "The most that the key may spend …", as /api says it. */
  readonly within: string;
}

/** In the order in which they are shown, and checked: of two that are equally tight, the first is named. */
export const spendLimits = [
  {
    name: 'day',
    window: { ms: 86_400_000 },
    column: 'spend_limit_day_nano',
    property: 'spendLimitDayNano',
    published: 'spendDay',
    counted: 'daySpent',
    shownAt: 2,
    spent: { name: 'spendToday', since: 'since 00:00 UTC' },
    adjective: 'daily',
    per: 'per day (UTC)',
    now: 'today',
    within: 'in a day, which begins at 00:00 UTC',
  },
  {
    name: 'month',
    window: 'month',
    column: 'spend_limit_month_nano',
    property: 'spendLimitMonthNano',
    published: 'spendMonth',
    counted: 'monthSpent',
    shownAt: 4,
    spent: { name: 'spendMonth', since: 'in this calendar month in UTC' },
    adjective: 'monthly',
    per: 'per month (UTC)',
    now: 'this month',
    within: 'in a calendar month in UTC',
  },
  {
    name: 'total',
    window: undefined,
    column: 'spend_limit_total_nano',
    property: 'spendLimitTotalNano',
    published: 'spendTotal',
    counted: 'total',
    shownAt: 5,
    spent: undefined,
    adjective: 'total',
    per: 'in total',
    now: 'in total',
    within: 'in total',
  },
] as const satisfies readonly SpendLimitRow[];

export type SpendLimit = (typeof spendLimits)[number];
/** `day` */
export type SpendLimitName = SpendLimit['name'];
type WindowedLimit = Exclude<SpendLimit, { readonly window: undefined }>;
/** `spendToday` */
export type SpentName = WindowedLimit['spent']['name'];
export type PerSpendLimit<Value> = Readonly<Record<SpendLimitName, Value>>;

/** Those that begin again. */
export const windowedLimits = spendLimits.filter((limit): limit is WindowedLimit => limit.window !== undefined);

/** As GET /v1/key lists them: first the one that never begins again, whose names are the shortest. */
export const spendLimitsByLength: readonly SpendLimit[] = [
  ...spendLimits.filter(({ window }) => window === undefined),
  ...windowedLimits,
];

export function perSpendLimit<Value>(read: (limit: SpendLimit) => Value): Record<SpendLimitName, Value> {
  return recordOf(spendLimits, (limit) => [limit.name, read(limit)]);
}

/** The number by which the scripts tell one window from the next, as `window_of` in spending.lua. */
export function windowNumber({ window }: WindowedLimit, at: Date): number {
  if (window === 'month') return at.getUTCFullYear() * 100 + at.getUTCMonth() + 1;
  return Math.floor(at.getTime() / window.ms);
}

export function windowStart({ window }: WindowedLimit, at: Date): Date {
  if (window === 'month') return new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), 1));
  return new Date(Math.floor(at.getTime() / window.ms) * window.ms);
}
