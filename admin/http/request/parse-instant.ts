/** Parses an instant: ISO 8601, a date or a date with a time, in UTC unless it has an offset. */
import { GatewayError } from '../../../shared/errors.ts';

const isoInstant = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d)?)?$/;

/** The years that Postgres and JSON write in the same form. */
const firstMs = Date.parse('0001-01-01T00:00:00.000Z');
const lastMs = Date.parse('9999-12-31T23:59:59.999Z');

export function isInRange(instantMs: number): boolean {
  return instantMs >= firstMs && instantMs <= lastMs;
}

/** Throws GatewayError `invalid_parameter`. */
export function parseInstant(text: string, param: string): Date {
  const [, offset] = isoInstant.exec(text) ?? [];
  // `Date` would read a time without an offset in this machine's zone.
  const instant = new Date(offset === undefined && text.includes('T') ? `${text}Z` : text);
  if (!isoInstant.test(text) || !isInRange(instant.getTime()) || !dayExists(text)) {
    throw new GatewayError(
      'invalid_parameter',
      `Invalid value for '${param}': expected ISO 8601, such as 2030-01-31 or 2030-01-31T12:00:00Z.`,
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
