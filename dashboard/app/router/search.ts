/**
 * Reads the search parameters of an address: what is malformed counts as absent, so an old link still opens its page.
 */
import { type DayRange, isDay } from '../time/days.ts';

type Search = Readonly<Record<string, unknown>>;

/** `?name=text`; undefined if it is absent or empty. */
export function textOf(search: Search, name: string): string | undefined {
  const value = search[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** `?name=one`, of a list of values. */
export function choiceOf<Choice extends string>(
  search: Search,
  name: string,
  choices: readonly Choice[],
): Choice | undefined {
  return choices.find((choice) => choice === search[name]);
}

/** `?name=7`, a whole number above 0. */
export function idOf(search: Search, name: string): number | undefined {
  const value = Number(search[name]);
  return Number.isSafeInteger(value) && value > 0 ? value : undefined;
}

/** Parameters without those that are undefined, which is how a page declares them. */
export function present<Values extends Record<string, unknown>>(values: Values): Present<Values> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Present<Values>;
}

type Present<Values> = { [Name in keyof Values]?: NonNullable<Values[Name]> };

/** `?a=1&b=text`: every value is a text, so addresses are short and readable. */
export function parseSearch(search: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(search));
}

export function writeSearch(search: Search): string {
  const entries = Object.entries(search).flatMap(([name, value]): [string, string][] =>
    value === undefined || value === null ? [] : [[name, String(value)]],
  );
  return entries.length === 0 ? '' : `?${new URLSearchParams(entries)}`;
}

/**
 * `?from=2026-11-01&to=2026-11-22`: days of the reader's time zone, both included. Both ends, or none if either is missing or
 * malformed.
 */
export function rangeSearch(search: Search): { from: string | undefined; to: string | undefined } {
  const [from, to] = [textOf(search, 'from'), textOf(search, 'to')];
  const isRange = from !== undefined && to !== undefined && isDay(from) && isDay(to) && from <= to;
  return isRange ? { from, to } : { from: undefined, to: undefined };
}

export function rangeOf({ from, to }: { readonly from?: string; readonly to?: string }): DayRange | undefined {
  return from === undefined || to === undefined ? undefined : { from, to };
}

interface Site {
  readonly origin: string;
  /** Whether the router has a page at this path. */
  isPage(path: string): boolean;
}

/**
 * Where a log-in leads: the page that asked for it, if it is one of the dashboard's. Everybody can write a link to the
 * log-in, so any other address leads to the first page. It is parsed as browsers do, which skip tabs and line breaks and
 * take a backslash for a slash.
 */
export function backPath(back: string | undefined, { origin, isPage }: Site): string {
  const url = back === undefined ? null : URL.parse(back, origin);
  if (url === null || url.origin !== origin) return '/';
  const { pathname, search, hash } = url;
  // A path of two slashes would be another host.
  return !pathname.startsWith('//') && isPage(pathname) ? pathname + search + hash : '/';
}
