/** `?from=2026-11-01&to=2026-11-22`: days of the reader's time zone, both included. */
import { type DayRange, isDay } from '../time/days.ts';
import { textOf } from './search.ts';

type Search = Readonly<Record<string, unknown>>;

/** Both ends, or none if either is missing or malformed. */
export function rangeSearch(search: Search): { from: string | undefined; to: string | undefined } {
  const [from, to] = [textOf(search, 'from'), textOf(search, 'to')];
  const isRange = from !== undefined && to !== undefined && isDay(from) && isDay(to) && from <= to;
  return isRange ? { from, to } : { from: undefined, to: undefined };
}

export function rangeOf({ from, to }: { readonly from?: string; readonly to?: string }): DayRange | undefined {
  return from === undefined || to === undefined ? undefined : { from, to };
}
