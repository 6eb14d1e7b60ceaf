/**
 * Describes an endpoint for the OpenAPI document from the same schemas that its handler checks with. Errors are named
 * by their codes; their statuses and meanings come from the registry.
 */
import type { TObject, TSchema } from '@sinclair/typebox';
import type { DocumentDecoration } from 'elysia';
import type { ErrorCode } from '../../shared/errors.ts';
import { describeErrors } from '../../shared/openapi/describe-errors.ts';
import { refuseUnknownParameters } from '../http/request/refuse-unknown-parameters.ts';
import { openApi30Schema } from './plain-schema.ts';

type Responses = NonNullable<DocumentDecoration['responses']>;
type Parameters = NonNullable<DocumentDecoration['parameters']>;

/** How a caller proves who he is. */
export type Security = 'accessToken' | 'billingKey' | 'none';

export interface Endpoint {
  /** Unique in the document: `createKey`. */
  readonly id: string;
  readonly summary: string;
  readonly description?: string;
  readonly tag: string;
  readonly security: Security;
  readonly params?: TObject;
  readonly query?: TObject;
  readonly headers?: TObject;
  readonly body?: { readonly schema: TObject; readonly example: unknown; readonly optional?: boolean };
  readonly answer: Answer;
  /** Besides those that follow from security and body. */
  readonly errors?: readonly ErrorCode[];
}

interface Answer {
  readonly status: 200 | 201 | 202 | 204;
  readonly description: string;
  readonly schema?: TSchema;
  readonly example?: unknown;
  /** JSON, if nothing else is said. */
  readonly mediaType?: string;
}

const errorsOfSecurity: Record<Security, readonly ErrorCode[]> = {
  none: [],
  accessToken: ['invalid_token', 'wrong_key_type'],
  billingKey: [
    'missing_api_key',
    'invalid_api_key',
    'key_expired',
    'key_deactivated',
    'wrong_key_type',
    'account_blocked',
  ],
};
const errorsOfBody: readonly ErrorCode[] = [
  'invalid_json',
  'invalid_parameter',
  'missing_parameter',
  'body_too_complex',
  'body_too_large',
  'request_timeout',
  'overloaded',
];

export interface Described {
  readonly detail: DocumentDecoration;
  /** Refuses query parameters that the endpoint does not document. */
  readonly beforeHandle: (context: { readonly request: Request }) => void;
}

/** The part of a route's options that documents it, and holds callers to that. */
export function describe(endpoint: Endpoint): Described {
  const { id, summary, description, tag, security, params, query, headers, body, answer } = endpoint;
  const codes: ErrorCode[] = [
    ...(body === undefined ? [] : errorsOfBody),
    'invalid_parameter',
    ...(query?.required === undefined ? [] : (['missing_parameter'] as const)),
    ...errorsOfSecurity[security],
    ...(endpoint.errors ?? []),
    'internal_error',
    'database_unavailable',
  ];
  const detail: DocumentDecoration = {
    operationId: id,
    summary,
    tags: [tag],
    security: security === 'none' ? [] : [{ [security]: [] }],
    responses: { [answer.status]: describeAnswer(answer), ...describeErrors(codes) } as Responses,
  };
  if (description !== undefined) detail.description = description;
  const parameters = [
    ...describeParameters('path', params),
    ...describeParameters('query', query),
    ...describeParameters('header', headers),
  ];
  if (parameters.length > 0) detail.parameters = parameters as Parameters;
  if (body !== undefined) {
    const content = { 'application/json': { schema: openApi30Schema(body.schema), example: body.example } };
    detail.requestBody = { required: body.optional !== true, content };
  }
  return { detail, beforeHandle: ({ request }) => refuseUnknownParameters(request.url, query) };
}

function describeAnswer({ description, schema, example, mediaType = 'application/json' }: Answer) {
  const headers = { 'x-request-id': { $ref: '#/components/headers/x-request-id' } };
  if (schema === undefined) return { description, headers };
  return { description, headers, content: { [mediaType]: { schema: openApi30Schema(schema), example } } };
}

function describeParameters(place: 'path' | 'query' | 'header', schema: TObject | undefined) {
  return Object.entries(schema?.properties ?? {}).map(([name, { description, ...property }]) => ({
    in: place,
    name,
    description,
    required: schema?.required?.includes(name) ?? false,
    schema: openApi30Schema(property),
  }));
}
