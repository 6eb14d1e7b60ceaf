/**
 * When the Bank of Russia is asked. It sets tomorrow's rate in the afternoon; one question after each Moscow midnight
 * takes it up on the day that it is in force.
 */
import { Cron } from 'croner';

const moscow = 'Europe/Moscow';
/** Some minutes after midnight, when neither clock is in doubt about the day. */
const daily = new Cron('7 0 * * *', { timezone: moscow, paused: true });
const dayFormat = new Intl.DateTimeFormat('en-CA', { timeZone: moscow, dateStyle: 'short' });

/** Whether a question was due since the last answer. */
export function isRateDue(readAt: Date | undefined, now: Date): boolean {
  if (readAt === undefined) return true;
  const next = daily.nextRun(readAt);
  return next !== null && next <= now;
}

/** The day in Moscow: `2026-11-21`. */
export function moscowDay(now: Date): string {
  return dayFormat.format(now);
}
