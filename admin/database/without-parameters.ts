/**
 * Makes a failed query's error safe to log: drizzle's message repeats all parameters, which include hashes of
 * passwords, keys and tokens. The statement and Postgres' own message remain.
 */
import { DrizzleQueryError } from 'drizzle-orm/errors';

export function withoutParameters(error: unknown): unknown {
  if (!(error instanceof DrizzleQueryError)) return error;
  return new Error(`Failed query: ${error.query}`, { cause: error.cause });
}
