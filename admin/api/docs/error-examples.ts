/**
 * The error examples of the document: real messages, each produced by the code that refuses the request. Those
 * for bodies and parameters come from checking invalid values against the endpoint's own schemas.
 */
import type { TObject } from '@sinclair/typebox';
import { GatewayError } from '../../../shared/errors.ts';
import { checkValue, parseJsonObject } from '../../../shared/http/check-value.ts';
import { bodyTooLarge, bodyTooSlow, tooManyBodies } from '../../../shared/http/intake/bodies.ts';
import { JsonScanner, jsonLimits } from '../../../shared/http/intake/json-scanner.ts';
import { internalError } from '../../../shared/http/render-error.ts';
import { errorHeaders } from '../../../shared/openapi/describe-errors.ts';
import { usualMaxBytes } from '../../auth/json-bodies.ts';
import { grantOf, operatorsOnly, type Permission, roleRequired, roles, rolesWith } from '../../auth/permissions.ts';
import { badAccessToken, keyInsteadOfToken } from '../../auth/sessions/access-tokens.ts';
import { signInRule } from '../../auth/sign-in-rule.ts';
import { accountBlocked } from '../../database/rows/account-state.ts';
import { databaseUnavailable } from '../../database/unavailable.ts';
import { checkQuery } from '../../http/request/check-query.ts';
import { refuseUnknownParameters } from '../../http/request/refuse-unknown-parameters.ts';
import { billingKeyErrors } from '../../keys/authenticate-billing-key.ts';

interface Body {
  readonly schema: TObject;
  readonly example: unknown;
  /** If so, no field in it is required either. */
  readonly optional?: boolean;
}

interface Parameters {
  readonly params?: TObject;
  readonly query?: TObject;
  readonly body?: object;
}

/** For every query string and every body value, one of these is invalid. */
const wrongTexts = ['-1', ''];
const wrongValues = [-1, ''];

/** What a client authenticates with, unless an operation is public. */
export type Credential = 'accessToken' | 'billingKey';

const errorsOfCredential = {
  accessToken: [badAccessToken(), keyInsteadOfToken()],
  billingKey: [
    billingKeyErrors.missing(),
    billingKeyErrors.invalid(),
    billingKeyErrors.expired(new Date('2030-01-01T00:00:00Z')),
    billingKeyErrors.deactivated(),
    billingKeyErrors.otherKind(),
    accountBlocked(),
  ],
} as const;

export function errorsOfPermission(permission: Permission | 'public', credential: Credential): GatewayError[] {
  if (permission === 'public') return [];
  const errors: GatewayError[] = [...errorsOfCredential[credential]];
  if (credential === 'billingKey') return errors;
  const grant = grantOf(permission);
  if (permission !== 'profile:manage') errors.push(signInRule('second_factor'));
  if (grant === undefined) return [...errors, operatorsOnly()];
  const sufficient = rolesWith(grant);
  const insufficient = roles.find((role) => !sufficient.includes(role));
  return insufficient === undefined ? errors : [...errors, roleRequired(insufficient, sufficient)];
}

export const errorsOfEverything = [
  internalError(errorHeaders['x-request-id'].example, undefined),
  databaseUnavailable(undefined),
];

export function errorsOfBody({ schema, example, optional }: Body): GatewayError[] {
  return [
    thrownBy(() => parseJsonObject('{"name": ')),
    wrongField(schema, example),
    ...(optional ? [] : missingField(schema)),
    thrownBy(() => new JsonScanner(jsonLimits).push('['.repeat(jsonLimits.depth + 1))),
    bodyTooLarge(usualMaxBytes),
    bodyTooSlow(),
    tooManyBodies(),
  ];
}

/** Every endpoint refuses query parameters that it does not have. */
export function errorsOfParameters({ params, query, body }: Parameters): GatewayError[] {
  return [
    ...(body === undefined ? [wrongParameter(query) ?? wrongParameter(params) ?? unknownParameter(query)] : []),
    ...(query?.required === undefined ? [] : [thrownBy(() => checkQuery(query, {}))]),
  ];
}

/** Throws if nothing is refused. */
export function thrownBy(run: () => unknown): GatewayError {
  const error = refusalOf(run);
  if (error === undefined) throw new Error('an example of an error was accepted');
  return error;
}

function wrongField(schema: TObject, example: unknown): GatewayError {
  const changed = Object.keys(schema.properties).flatMap((name) =>
    wrongValues.map((value) => ({ ...Object(example), [name]: value })),
  );
  return firstRefusal(changed, (body) => checkValue(schema, body)) ?? thrownBy(() => checkValue(schema, { '': 0 }));
}

/** None if nothing is required: then the endpoint itself reports what to send. */
function missingField(schema: TObject): GatewayError[] {
  return schema.required === undefined ? [] : [thrownBy(() => checkValue(schema, {}))];
}

function wrongParameter(schema: TObject | undefined): GatewayError | undefined {
  if (schema === undefined) return undefined;
  const names = Object.keys(schema.properties);
  const texts = names.flatMap((name) => wrongTexts.map((text) => ({ [name]: text })));
  return firstRefusal(texts, (values) => checkQuery(schema, values));
}

function unknownParameter(query: TObject | undefined): GatewayError {
  return thrownBy(() => refuseUnknownParameters('/?page=2', query));
}

function firstRefusal<Value>(values: readonly Value[], check: (value: Value) => unknown): GatewayError | undefined {
  for (const value of values) {
    const error = refusalOf(() => check(value));
    if (error?.code === 'invalid_parameter') return error;
  }
  return undefined;
}

function refusalOf(run: () => unknown): GatewayError | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    if (error instanceof GatewayError) return error;
    throw error;
  }
}
