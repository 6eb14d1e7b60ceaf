/** Errors of queries, which drizzle wraps. */
import { DrizzleQueryError } from 'drizzle-orm/errors';
import postgres from 'postgres';

const uniqueViolation = '23505';

export function isUniqueViolation(error: unknown, constraint: string): boolean {
  const cause = error instanceof Error && !(error instanceof postgres.PostgresError) ? error.cause : error;
  return (
    cause instanceof postgres.PostgresError && cause.code === uniqueViolation && cause.constraint_name === constraint
  );
}

/**
 * Makes a failed query's error safe to log: drizzle's message repeats all parameters, which include hashes of
 * passwords, keys and tokens. The statement and Postgres' own message remain.
 */
export function withoutParameters(error: unknown): unknown {
  if (!(error instanceof DrizzleQueryError)) return error;
  return new Error(`Failed query: ${error.query}`, { cause: error.cause });
}
