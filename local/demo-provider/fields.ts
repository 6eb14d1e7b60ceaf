/**
 * Reads single fields of a request's JSON. Null means absent, as with OpenAI; a malformed field is refused
 * with its name.
 */
import { isObject } from '../../shared/members.ts';
import { RequestError } from './errors.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

export function numberField(body: JsonObject, name: string, range: { min: number; max: number }): number | undefined {
  const value = body[name] ?? undefined;
  if (value === undefined) return undefined;
  if (typeof value !== 'number' || value < range.min || value > range.max) {
    throw new RequestError(`'${name}' must be a number from ${range.min} to ${range.max}.`, { param: name });
  }
  return value;
}

export function integerField(body: JsonObject, name: string, range: { min: number; max: number }): number | undefined {
  const value = numberField(body, name, range);
  if (value !== undefined && !Number.isInteger(value)) {
    throw new RequestError(`'${name}' must be a whole number.`, { param: name });
  }
  return value;
}

export function booleanField(body: JsonObject, name: string): boolean {
  const value = body[name] ?? false;
  if (typeof value !== 'boolean') throw new RequestError(`'${name}' must be true or false.`, { param: name });
  return value;
}

export function objectField(body: JsonObject, name: string): JsonObject | undefined {
  const value = body[name] ?? undefined;
  if (value !== undefined && !isObject(value)) throw new RequestError(`'${name}' must be an object.`, { param: name });
  return value;
}

/** `stop`: one text or up to four; empty texts would stop everything and count as absent. */
export function stopField(body: JsonObject): string[] {
  const value = body.stop ?? [];
  const list: unknown[] = Array.isArray(value) ? value : [value];
  if (list.length > 4 || !list.every((item) => typeof item === 'string')) {
    throw new RequestError("'stop' must be a string or a list of at most 4 strings.", { param: 'stop' });
  }
  return list.filter((item) => item !== '');
}
