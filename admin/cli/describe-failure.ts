/** A failure, as shown to an operator: operators are trusted, so it includes details that API callers never see. */
import { ConfigurationError } from '../../shared/config/environment.ts';
import { errorBody, GatewayError } from '../../shared/errors.ts';
import { describeOutage, findOutage } from '../database/unavailable.ts';
import { UsageError } from './command.ts';

export interface Failure {
  readonly code: string;
  readonly message: string;
  readonly [detail: string]: unknown;
}

/** A failure with more details than a message. */
export class DetailedError extends Error {
  override readonly name = 'DetailedError';

  constructor(
    readonly code: string,
    message: string,
    readonly details: Readonly<Record<string, unknown>>,
  ) {
    super(message);
  }
}

export function describeFailure(error: unknown): Failure {
  if (error instanceof GatewayError) return errorBody(error).error;
  if (error instanceof DetailedError) return { code: error.code, message: error.message, ...error.details };
  if (error instanceof ConfigurationError) return { code: 'configuration', message: error.message };
  if (error instanceof UsageError) return { code: 'usage', message: error.message };
  const outage = findOutage(error);
  if (outage !== undefined) return { code: 'database_unavailable', message: describeOutage(outage) };
  return { code: 'internal_error', message: rootMessage(error) };
}

/** drizzle's own message repeats the whole query; the reason is in its cause. */
function rootMessage(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.cause instanceof Error) return rootMessage(error.cause);
  if (error instanceof AggregateError && error.errors.length > 0) return rootMessage(error.errors[0]);
  return error.message || String(Reflect.get(error, 'code') ?? error.name);
}
