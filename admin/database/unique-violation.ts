/** Recognises a unique violation. drizzle wraps the errors of postgres.js. */
import postgres from 'postgres';

const uniqueViolation = '23505';

export function isUniqueViolation(error: unknown, constraint: string): boolean {
  const cause = error instanceof Error && !(error instanceof postgres.PostgresError) ? error.cause : error;
  return (
    cause instanceof postgres.PostgresError && cause.code === uniqueViolation && cause.constraint_name === constraint
  );
}
