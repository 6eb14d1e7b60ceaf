/** Instants and days for people, and whole numbers. Instants are in the zone of the browser. */
import { customsOf, type Language } from '../../../shared/languages.ts';

/** `22 Nov 2026, 20:05` */
export function formatInstant(instant: string, language: Language): string {
  return formatTime(new Date(instant), language, { dateStyle: 'medium', timeStyle: 'short' });
}

/** `22 Nov 2026`, of a day such as `2026-11-22` that has no zone. */
export function formatDay(day: string, language: Language): string {
  return formatTime(new Date(day), language, { dateStyle: 'medium', timeZone: 'UTC' });
}

/** `November 2026`, of a month such as `2026-11`. */
export function formatMonth(month: string, language: Language): string {
  return formatTime(new Date(`${month}-01`), language, { month: 'long', year: 'numeric', timeZone: 'UTC' });
}

/** `22 Nov 2026`, the day of an instant in the zone of the browser. */
export function formatDayOf(instant: string, language: Language): string {
  return formatTime(new Date(instant), language, { dateStyle: 'medium' });
}

/** Without the Russian word for “year” after the year, which says nothing and takes space. */
export function formatTime(date: Date, language: Language, options: Intl.DateTimeFormatOptions): string {
  return dateFormatter(language, options)
    .format(date)
    .replace(/\s?г\./, '');
}

const dateFormatters = new Map<string, Intl.DateTimeFormat>();

/** Making one takes far longer than using it, and a table formats hundreds of values. */
function dateFormatter(language: Language, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${language} ${JSON.stringify(options)}`;
  const made = dateFormatters.get(key) ?? new Intl.DateTimeFormat(customsOf[language].dates, options);
  dateFormatters.set(key, made);
  return made;
}

/** `2026-11-22 17:05:33 UTC` */
export function formatUtc(instant: string): string {
  return `${new Date(instant).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

/** `3 hours ago`, `yesterday`; within a minute `now`. */
export function formatRelative(instant: string, language: Language, now = Date.now()): string {
  const seconds = (Date.parse(instant) - now) / 1_000;
  const format = new Intl.RelativeTimeFormat(customsOf[language].numbers, { numeric: 'auto' });
  if (Math.abs(seconds) < 60) return format.format(0, 'second');
  const [unit, length] = steps.find(([, size]) => Math.abs(seconds) >= size) ?? ['minute', 60];
  return format.format(Math.trunc(seconds / length), unit);
}

const steps: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['year', 365 * 86_400],
  ['month', 30 * 86_400],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];

/** `1,234,567`; in Russian `1 234 567`. */
export function formatCount(count: number, language: Language): string {
  const format = countFormatters.get(language) ?? new Intl.NumberFormat(customsOf[language].numbers);
  countFormatters.set(language, format);
  return format.format(count);
}

const countFormatters = new Map<Language, Intl.NumberFormat>();
