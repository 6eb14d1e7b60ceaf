/** Recognises that Postgres or Redis is unreachable or does not respond, and words it. */
import postgres from 'postgres';
import { GatewayError } from '../../shared/errors.ts';

const retryAfterSeconds = 5;

/** The driver's codes. */
const driverCodes = new Set([
  'CONNECTION_CLOSED',
  'CONNECTION_ENDED',
  'CONNECTION_DESTROYED',
  'CONNECT_TIMEOUT',
  'ANSWER_TIMEOUT',
]);

/** The operating system's codes. */
const systemCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'EHOSTDOWN',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENOENT',
  'ERR_STREAM_DESTROYED',
  'ERR_SOCKET_CLOSED',
]);

/**
 * Postgres' codes (https://www.postgresql.org/docs/current/errcodes-appendix.html): connection exceptions, refused
 * log-ins, exhausted resources, a server that starts or shuts down, statement and idle-transaction timeouts, a standby,
 * and a missing database.
 */
const sqlStates = /^(?:08...|28...|53...|57P..|57014|25P03|25006|3D000)$/;

/** The driver's error behind `error`, or undefined if the cause is a different one. */
export function findOutage(error: unknown): Error | undefined {
  if (!(error instanceof Error)) return undefined;
  return isOutage(error) ? error : findOutage(error.cause);
}

function isOutage(error: Error): boolean {
  const code = String(Reflect.get(error, 'code') ?? '');
  if (error instanceof postgres.PostgresError) return sqlStates.test(code);
  // Redis and mail servers refuse connections too; only the driver adds the query to its errors.
  return driverCodes.has(code) || (systemCodes.has(code) && 'query' in error);
}

/** One sentence for operators, with details that API callers do not get. */
export function describeOutage(outage: Error): string {
  if (outage instanceof postgres.PostgresError) return `Postgres cannot do this now: ${outage.message}.`;
  const code = String(Reflect.get(outage, 'code'));
  if (code.endsWith('_TIMEOUT')) return 'Postgres cannot be reached: it does not respond.';
  return `Postgres cannot be reached: ${driverCodes.has(code) ? 'the connection was closed' : outage.message}.`;
}

export function databaseUnavailable(cause: unknown): GatewayError {
  return new GatewayError(
    'database_unavailable',
    'The database is currently unavailable. Try again in a few seconds.',
    {
      retryAfterSeconds,
      cause,
    },
  );
}

/** Reads data that exists only in Redis. Throws GatewayError `wallet_unavailable`. */
export async function fromRedis<Result>(read: () => Promise<Result>): Promise<Result> {
  try {
    return await read();
  } catch (cause) {
    throw redisUnreadable(cause);
  }
}

export function redisUnreadable(cause: unknown): GatewayError {
  return new GatewayError('wallet_unavailable', 'Redis is currently unavailable.', { retryAfterSeconds, cause });
}
