/** Reads a moment as callers write it: ISO 8601 with a date, a time and a zone, so that nothing is left to guess. */
import { GatewayError } from '../../shared/errors.ts';

const isoInstant = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/;

/** Throws GatewayError `invalid_parameter`. */
export function parseInstant(text: string, param: string): Date {
  const instant = new Date(text);
  if (!isoInstant.test(text) || Number.isNaN(instant.getTime()) || !dayExists(text)) {
    throw new GatewayError(
      'invalid_parameter',
      `Invalid value for '${param}': expected ISO 8601 with a zone, such as 2030-01-31T12:00:00Z.`,
      { param },
    );
  }
  return instant;
}

/** `Date` turns 30 February into 2 March. */
function dayExists(text: string): boolean {
  const day = text.slice(0, 10);
  return new Date(`${day}T00:00:00Z`).toISOString().startsWith(day);
}
