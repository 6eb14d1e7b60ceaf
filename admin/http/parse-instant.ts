/** Reads a moment as callers write it: ISO 8601 with a date, a time and a zone, so that nothing is left to guess. */
import { GatewayError } from '../../shared/errors.ts';

const isoInstant = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/;

/** The years that Postgres, JSON and people write alike. Beyond them no two agree on a form. */
const firstMs = Date.parse('0001-01-01T00:00:00.000Z');
const lastMs = Date.parse('9999-12-31T23:59:59.999Z');

export function isInRange(instantMs: number): boolean {
  return instantMs >= firstMs && instantMs <= lastMs;
}

/** Throws GatewayError `invalid_parameter`. */
export function parseInstant(text: string, param: string): Date {
  const instant = new Date(text);
  if (!isoInstant.test(text) || !isInRange(instant.getTime()) || !dayExists(text)) {
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
