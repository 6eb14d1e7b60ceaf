/** Whether an error means that Postgres cannot be reached or does not answer, and what is said of it. */
import postgres from 'postgres';
import { GatewayError } from '../../shared/errors.ts';

const retryAfterSeconds = 5;

/** What the driver calls it. */
const driverCodes = new Set([
  'CONNECTION_CLOSED',
  'CONNECTION_ENDED',
  'CONNECTION_DESTROYED',
  'CONNECT_TIMEOUT',
  'ANSWER_TIMEOUT',
]);

/** What the operating system calls it. */
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
 * What Postgres calls it (https://www.postgresql.org/docs/current/errcodes-appendix.html): connection exceptions, refused
 * log-ins, exhausted resources, a server that ends or starts; a statement that took too long, a transaction that was
 * idle for too long, a standby, and a database that does not exist.
 */
const sqlStates = /^(?:08...|28...|53...|57P..|57014|25P03|25006|3D000)$/;

/** The driver's error behind `error`, or undefined where it means something else. */
export function findOutage(error: unknown): Error | undefined {
  if (!(error instanceof Error)) return undefined;
  return isOutage(error) ? error : findOutage(error.cause);
}

function isOutage(error: Error): boolean {
  const code = String(Reflect.get(error, 'code') ?? '');
  if (error instanceof postgres.PostgresError) return sqlStates.test(code);
  // Redis and mail servers refuse connections as well; the driver adds the query to the errors of its own.
  return driverCodes.has(code) || (systemCodes.has(code) && 'query' in error);
}

/** One sentence for an operator, who may know what callers of the API do not. */
export function describeOutage(outage: Error): string {
  if (outage instanceof postgres.PostgresError) return `Postgres cannot do this now: ${outage.message}.`;
  const code = String(Reflect.get(outage, 'code'));
  if (code.endsWith('_TIMEOUT')) return 'Postgres cannot be reached: it does not answer.';
  return `Postgres cannot be reached: ${driverCodes.has(code) ? 'the connection was closed' : outage.message}.`;
}

export function databaseUnavailable(cause: unknown): GatewayError {
  return new GatewayError('database_unavailable', 'The database cannot be reached now. Try again in a few seconds.', {
    retryAfterSeconds,
    cause,
  });
}
