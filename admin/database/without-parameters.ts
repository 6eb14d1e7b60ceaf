/**
 * Makes a failed query fit for a log: drizzle's error repeats all parameters in its message, and among them are hashes
 * of passwords, keys and tokens. The statement and Postgres' own reason stay.
 */
import { DrizzleQueryError } from 'drizzle-orm/errors';

export function withoutParameters(error: unknown): unknown {
  if (!(error instanceof DrizzleQueryError)) return error;
  return new Error(`Failed query: ${error.query}`, { cause: error.cause });
}
