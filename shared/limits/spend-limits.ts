/**
 * For which periods spending can be limited, of an API key as of all other levels of budgets (budget-levels.ts): the one table
 * from which the windows of the wallet's scripts, what is published to them and loaded from the ledger, columns, /api, the
 * command line, GET /v1/key and the dashboard derive. A row is a contract with every version, so its names and its place never
 * change. How to add one is in docs/contributing.md.
 *
 * The scripts and the dashboard read it too, so it is plain data.
 */
import { recordOf } from '../members.ts';
import { localMs, momentMs, utcOffsets, type ZoneOffsets } from './zone-offsets.ts';

interface SpendLimitRow {
  /** In /api and the dashboard, and on the command line as `--spend-day`. */
  readonly name: string;
  /** What begins again at its start in the organization's time zone; undefined for what never does. */
  readonly window: 'day' | 'week' | 'month' | undefined;
  /** A key's own limit among the columns of `api_keys`, and in TypeScript. */
  readonly column: string;
  readonly property: string;
  /** A key's own limit in what is published with it. */
  readonly published: string;
  /**
   * What was spent in the window, in `{s}:spend:<key id>`; the window's number is beside it under the limit's name. Without
   * a window it has that name itself.
   */
  readonly counted: string;
  /**
   * The place of what was spent in the list `{s}:spent:<key id>`, from 1, and after the first four values of a record
   * (spend-records.lua); the window's number is in the place before.
   */
  readonly place: number;
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
    window: 'day',
    column: 'spend_limit_day_nano',
    property: 'spendLimitDayNano',
    published: 'spendDay',
    counted: 'daySpent',
    place: 2,
    spent: { name: 'spendToday', since: 'since 00:00' },
    adjective: 'daily',
    per: 'per day',
    now: 'today',
    within: 'in a day',
  },
  {
    name: 'week',
    window: 'week',
    column: 'spend_limit_week_nano',
    property: 'spendLimitWeekNano',
    published: 'spendWeek',
    counted: 'weekSpent',
    place: 7,
    spent: { name: 'spendWeek', since: 'since Monday' },
    adjective: 'weekly',
    per: 'per week',
    now: 'this week',
    within: 'in a week from Monday to Sunday',
  },
  {
    name: 'month',
    window: 'month',
    column: 'spend_limit_month_nano',
    property: 'spendLimitMonthNano',
    published: 'spendMonth',
    counted: 'monthSpent',
    place: 4,
    spent: { name: 'spendMonth', since: 'in this calendar month' },
    adjective: 'monthly',
    per: 'per month',
    now: 'this month',
    within: 'in a calendar month',
  },
  {
    name: 'total',
    window: undefined,
    column: 'spend_limit_total_nano',
    property: 'spendLimitTotalNano',
    published: 'spendTotal',
    counted: 'total',
    place: 5,
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

export function limitOf(period: SpendLimitName): SpendLimit {
  const limit = spendLimits.find(({ name }) => name === period);
  if (limit === undefined) throw new Error(`there is no period ${period}`);
  return limit;
}

export function perSpendLimit<Value>(read: (limit: SpendLimit) => Value): Record<SpendLimitName, Value> {
  return recordOf(spendLimits, (limit) => [limit.name, read(limit)]);
}

const dayMs = 86_400_000;
/** 1970-01-01 was a Thursday. */
const daysSinceMonday = 3;

type Window = { readonly window: WindowedLimit['window'] };

/** The number by which the scripts tell one window from the next, as `windows_in` in windows.lua. */
export function windowNumber({ window }: Window, at: Date, zone: ZoneOffsets = utcOffsets): number {
  return numberOf(window, localMs(zone, at.getTime()));
}

/** The first moment of the window that a moment is in. */
export function windowStart({ window }: Window, at: Date, zone: ZoneOffsets = utcOffsets): Date {
  return new Date(momentMs(zone, startOf(window, numberOf(window, localMs(zone, at.getTime())))));
}

/** The first moment of the window after it. */
export function windowEnd({ window }: Window, at: Date, zone: ZoneOffsets = utcOffsets): Date {
  return new Date(momentMs(zone, startOf(window, next(window, numberOf(window, localMs(zone, at.getTime()))))));
}

function numberOf(window: Window['window'], local: number): number {
  const day = Math.floor(local / dayMs);
  if (window === 'day') return day;
  if (window === 'week') return Math.floor((day + daysSinceMonday) / 7);
  const date = new Date(local);
  return date.getUTCFullYear() * 100 + date.getUTCMonth() + 1;
}

/** Where local time shows it, in milliseconds since 1970 as if it were UTC. */
function startOf(window: Window['window'], number: number): number {
  if (window === 'day') return number * dayMs;
  if (window === 'week') return (number * 7 - daysSinceMonday) * dayMs;
  return Date.UTC(Math.floor(number / 100), (number % 100) - 1);
}

function next(window: Window['window'], number: number): number {
  return window === 'month' && number % 100 === 12 ? number + 89 : number + 1;
}
