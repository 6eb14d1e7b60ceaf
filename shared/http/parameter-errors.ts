/** The three errors about one parameter of a request, each with one wording. */
import { GatewayError } from '../errors.ts';

/** `why` is an additional sentence. */
export function missingParameter(param: string, why?: string): GatewayError {
  const message = `Missing required parameter: '${param}'.${why === undefined ? '' : ` ${why}`}`;
  return new GatewayError('missing_parameter', message, { param });
}

/** `expected` completes "expected …". */
export function invalidParameter(param: string, expected: string): GatewayError {
  return new GatewayError('invalid_parameter', `Invalid value for '${param}': expected ${expected}.`, { param });
}

/** Without a message: the model does not support the parameter, with any value. */
export function unsupportedParameter(
  param: string,
  message = `'${param}' is not supported by this model.`,
): GatewayError {
  return new GatewayError('unsupported_parameter', message, { param });
}
