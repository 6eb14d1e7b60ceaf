/**
 * An error of a Google API: https://cloud.google.com/apis/design/errors. It comes as an object, alone in an array where
 * a stream was asked for, and in a stream as an event.
 */
import { isJsonObject, type JsonObject, objectsOf, textOf } from './json-value.ts';

export interface ErrorStatus {
  readonly message: string | undefined;
  /** Of `google.rpc.RetryInfo`. */
  readonly retryAfterMs: number | undefined;
}

/** Undefined where the value is no error. */
export function readErrorStatus(value: unknown): ErrorStatus | undefined {
  if (Array.isArray(value)) return value.map(readErrorStatus).find((status) => status !== undefined);
  if (!isJsonObject(value) || value.error === undefined || value.error === null) return undefined;
  const { error } = value;
  if (!isJsonObject(error)) return { message: textOf(error), retryAfterMs: undefined };
  return { message: textOf(error.message) ?? textOf(error.status), retryAfterMs: retryAfterOf(error) };
}

function retryAfterOf(error: JsonObject): number | undefined {
  const info = objectsOf(error.details).find((detail) => String(detail['@type']).endsWith('google.rpc.RetryInfo'));
  return readDuration(info?.retryDelay);
}

/** A `google.protobuf.Duration` as JSON: `34.4s`. */
function readDuration(value: unknown): number | undefined {
  const [, seconds] = /^(\d{1,9}(?:\.\d{1,9})?)s$/.exec(typeof value === 'string' ? value : '') ?? [];
  return seconds === undefined ? undefined : Math.ceil(Number(seconds) * 1000);
}
