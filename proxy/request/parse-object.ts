/**
 * Turns a body's text into a checked value, or into an error that names the parameter at fault. The schema's
 * descriptions are the words the caller reads.
 */
import type { Static, TSchema } from '@sinclair/typebox';
import { type TypeCheck, type ValueError, ValueErrorType } from '@sinclair/typebox/compiler';
import { GatewayError } from '../../shared/errors.ts';

/** Throws GatewayError `invalid_json`, `missing_parameter` or `invalid_parameter`. */
export function parseObject<Schema extends TSchema>(text: string, check: TypeCheck<Schema>): Static<Schema> {
  const value = parseJson(text);
  if (check.Check(value)) return value;
  const error = check.Errors(value).First();
  throw error === undefined ? new Error('a failed check without an error') : describe(error);
}

function parseJson(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new GatewayError('invalid_json', 'The request body is not valid JSON.', { cause });
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new GatewayError('invalid_json', 'The request body must be a JSON object.');
  }
  return value;
}

function describe(error: ValueError): GatewayError {
  const param = parameterName(error.path);
  if (error.type === ValueErrorType.ObjectRequiredProperty) {
    return new GatewayError('missing_parameter', `Missing required parameter: '${param}'.`, { param });
  }
  const expected = error.schema.description ?? error.message;
  return new GatewayError('invalid_parameter', `Invalid value for '${param}': expected ${expected}.`, { param });
}

/** `/messages/0/role` → `messages[0].role` */
function parameterName(path: string): string {
  return path
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce((name, part) => (/^\d+$/.test(part) ? `${name}[${part}]` : name === '' ? part : `${name}.${part}`), '');
}
