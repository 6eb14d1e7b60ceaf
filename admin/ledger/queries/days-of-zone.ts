/** Days of a time zone, as Postgres knows it, because Postgres also adds up the days. */
import postgres, { type Sql } from 'postgres';
import { GatewayError } from '../../../shared/errors.ts';

/**
 * Names from https://www.iana.org/time-zones. No offsets: `+03` means one thing in ISO 8601 and the opposite in POSIX.
 */
const zoneName = /^[A-Za-z][A-Za-z0-9_+-]*(\/[A-Za-z0-9_+-]+){0,2}$/;
const unknownZone = '22023';

/** When a day begins. Throws GatewayError `invalid_parameter` if there is no such time zone. */
export async function startOfDay(sql: Sql, day: string, timeZone: string): Promise<Date> {
  const [row] = await inZone(
    timeZone,
    () => sql<{ start: Date }[]>`
    SELECT ${day}::date::timestamp AT TIME ZONE ${timeZone} AS start`,
  );
  if (row === undefined) throw new Error('a SELECT without a row');
  return row.start;
}

/** The day of an instant, or `days` before it. Throws as `startOfDay` does. */
export async function dayBefore(sql: Sql, at: Date, { days, timeZone }: { days: number; timeZone: string }) {
  const [row] = await inZone(
    timeZone,
    () => sql<{ day: string }[]>`
    SELECT ((${at}::timestamptz AT TIME ZONE ${timeZone})::date - ${days}::int)::text AS day`,
  );
  if (row === undefined) throw new Error('a SELECT without a row');
  return row.day;
}

async function inZone<Result>(timeZone: string, ask: () => PromiseLike<Result>): Promise<Result> {
  // Postgres also accepts abbreviations and rules such as `XYZ5`, which other programs do not know.
  if (!zoneName.test(timeZone) || !isKnown(timeZone)) throw unknown();
  try {
    return await ask();
  } catch (error) {
    if (error instanceof postgres.PostgresError && error.code === unknownZone) throw unknown();
    throw error;
  }
}

function isKnown(timeZone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone });
    return true;
  } catch {
    return false;
  }
}

function unknown(): GatewayError {
  const expected = 'the name of a time zone, such as Europe/Moscow';
  return new GatewayError('invalid_parameter', `Invalid value for 'timeZone': expected ${expected}.`, {
    param: 'timeZone',
  });
}
