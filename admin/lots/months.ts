/** Accounting days and months: those of the billing time zone, and which month a ledger line counts for. */

export interface ClosedMonth {
  /** `2026-10-01`. */
  readonly month: string;
  /** Lines after it, of this month or an earlier one, count for a later month. */
  readonly throughLineId: number;
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** Whether it is a day that exists, as `2026-10-31`. */
export function isDay(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false;
  const at = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(text);
}

/** The day on which the instant is: `2026-10-31`. */
export function dayOf(instant: Date, timeZone: string): string {
  let format = formats.get(timeZone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' });
    formats.set(timeZone, format);
  }
  return format.format(instant);
}

/** The first day of the month in which the instant is: `2026-10-01`. */
export function monthOf(instant: Date, timeZone: string): string {
  return `${dayOf(instant, timeZone).slice(0, 7)}-01`;
}

/** The last day of a month: `2026-10-31`. */
export function lastDayOf(month: string): string {
  return new Date(Date.parse(`${monthAfter(month)}T00:00:00Z`) - 86_400_000).toISOString().slice(0, 10);
}

export function monthAfter(month: string): string {
  const start = new Date(`${month}T00:00:00Z`);
  return new Date(Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + 1, 1)).toISOString().slice(0, 10);
}

export function monthBefore(month: string): string {
  const start = new Date(`${month}T00:00:00Z`);
  return new Date(Date.UTC(start.getUTCFullYear(), start.getUTCMonth() - 1, 1)).toISOString().slice(0, 10);
}

/** The month itself, or the first one after it that was open when the line was booked. `closed` is in the order of months. */
export function countedMonth(natural: string, lineId: number, closed: readonly ClosedMonth[]): string {
  let month = natural;
  for (const { month: closedMonth, throughLineId } of closed) {
    if (lineId > throughLineId && month <= closedMonth) month = monthAfter(closedMonth);
  }
  return month;
}
