/**
 * Checks a caller's input against a schema, strictly: nothing is coerced, dropped or filled in, and the error names the
 * parameter at fault without repeating its value. A schema's `description` is for readers of the API reference; its
 * `expected` completes the error message, "expected a number from 0 to 2", and is left out of the reference.
 */
import type { Static, TSchema } from '@sinclair/typebox';
import { type TypeCheck, TypeCompiler, type ValueError, ValueErrorType } from '@sinclair/typebox/compiler';
import { GatewayError } from '../errors.ts';
import { invalidParameter, missingParameter } from './parameter-errors.ts';

const compiled = new WeakMap<TSchema, TypeCheck<TSchema>>();

/** `at` is the value's path in the body. Throws GatewayError `missing_parameter` or `invalid_parameter`. */
export function checkValue<Schema extends TSchema>(schema: Schema, value: unknown, at = ''): Static<Schema> {
  const check = compile(schema);
  if (check.Check(value)) return value as Static<Schema>;
  const error = check.Errors(value).First();
  throw error === undefined ? new Error('a failed check without an error') : describeError(error, at);
}

function compile(schema: TSchema): TypeCheck<TSchema> {
  let check = compiled.get(schema);
  if (check === undefined) {
    check = TypeCompiler.Compile(schema);
    compiled.set(schema, check);
  }
  return check;
}

function describeError(error: ValueError, at: string): GatewayError {
  const param = parameterName(error.path, at);
  if (error.type === ValueErrorType.ObjectRequiredProperty) {
    return missingParameter(param);
  }
  if (error.type === ValueErrorType.ObjectAdditionalProperties) {
    return new GatewayError('invalid_parameter', `Unknown parameter: '${param}'.`, { param });
  }
  const { expected } = error.schema;
  return invalidParameter(param, expected ?? error.message.replace(/^Expected /, ''));
}

/** `/items/0/name` → `items[0].name`, behind `at`. */
function parameterName(path: string, at: string): string {
  return path
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce((name, part) => (/^\d+$/.test(part) ? `${name}[${part}]` : name === '' ? part : `${name}.${part}`), at);
}

/** Parses a request body. Throws GatewayError `invalid_json`. */
export function parseJsonObject(text: string): object {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new GatewayError('invalid_json', 'The request body is not valid JSON.', { cause });
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw notJson();
  return value;
}

export function notJson(): GatewayError {
  return new GatewayError('invalid_json', 'The request body must be a JSON object.');
}
