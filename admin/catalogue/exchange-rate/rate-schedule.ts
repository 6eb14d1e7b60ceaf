/**
 * When the Bank of Russia is queried. It sets tomorrow's rate in the afternoon; one request after each Moscow midnight
 * picks it up on the day it takes effect.
 */
import { Cron } from 'croner';

const moscow = 'Europe/Moscow';
/** A few minutes after midnight, so that clock differences do not matter. */
const daily = new Cron('7 0 * * *', { timezone: moscow, paused: true });
const dayFormat = new Intl.DateTimeFormat('en-CA', { timeZone: moscow, dateStyle: 'short' });

/** Whether a request has become due since the last response. */
export function isRateDue(readAt: Date | undefined, now: Date): boolean {
  if (readAt === undefined) return true;
  const next = daily.nextRun(readAt);
  return next !== null && next <= now;
}

/** The day in Moscow: `2026-11-21`. */
export function moscowDay(now: Date): string {
  return dayFormat.format(now);
}
