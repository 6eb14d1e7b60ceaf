/** When a bank has booked a transfer, as a statement or an operator says it. Banks book by Moscow's days. */
import { GatewayError } from '../../shared/errors.ts';
import { moscowDay } from '../catalogue/exchange-rate/rate-schedule.ts';
import { parseInstant } from '../http/request/parse-instant.ts';

const dayForm = /^\d{4}-\d\d-\d\d$/;

/** A day, or a moment in ISO 8601. Throws GatewayError `invalid_parameter` if it is in the future. */
export function parsePaidAt(text: string, { param, now }: { readonly param: string; readonly now: Date }): Date {
  const instant = parseInstant(text, param);
  const paidAt = dayForm.test(text) ? momentOfBankDay(text, now) : instant;
  if (paidAt === undefined || paidAt > now) {
    throw new GatewayError('invalid_parameter', `Invalid value for '${param}': it is in the future.`, { param });
  }
  return paidAt;
}

/** A moment of that day which has passed; undefined if the day has not begun. */
export function momentOfBankDay(day: string, now: Date): Date | undefined {
  if (day > moscowDay(now)) return undefined;
  // Three o'clock there.
  const usual = new Date(`${day}T00:00:00Z`);
  return usual < now ? usual : now;
}
