/**
 * Describes an endpoint for the OpenAPI document with the schemas that its handler validates with. Errors are listed
 * as examples produced by the code itself; their statuses and meanings come from the registry.
 */
import type { TObject, TSchema } from '@sinclair/typebox';
import type { DocumentDecoration } from 'elysia';
import type { GatewayError } from '../../../shared/errors.ts';
import { describeErrors, usualErrors } from '../../../shared/openapi/describe-errors.ts';
import { refuseUnknownParameters } from '../../http/request/refuse-unknown-parameters.ts';
import { errorsOfBody, errorsOfEverything, errorsOfParameters, errorsOfSecurity } from './error-examples.ts';
import { openApi30Schema } from './plain-schema.ts';

type Responses = NonNullable<DocumentDecoration['responses']>;
type Parameters = NonNullable<DocumentDecoration['parameters']>;

/** How the client authenticates. */
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
  readonly response: SuccessResponse;
  /**
   * Besides those that follow from security, parameters and body, or instead of them: as the code that throws them
   * makes them.
   */
  readonly errors?: readonly GatewayError[];
  /** The statuses that a browser gets as a page, instead of JSON. */
  readonly pages?: readonly number[];
}

interface SuccessResponse {
  readonly status: 200 | 201 | 202 | 204;
  readonly description: string;
  readonly schema?: TSchema;
  readonly example?: unknown;
  /** JSON by default. */
  readonly mediaType?: string;
}

export interface Described {
  readonly detail: DocumentDecoration;
  /** Refuses query parameters that the endpoint does not document. */
  readonly beforeHandle: (context: { readonly request: Request }) => void;
}

interface DescribedResponse {
  readonly content?: object;
}

const page = { schema: { type: 'string' }, example: '<!doctype html>…' };

/** The route options that document it and enforce what is documented. */
export function describe(endpoint: Endpoint): Described {
  const { id, summary, description, tag, security, params, query, headers, body, response } = endpoint;
  const errors = [
    ...(body === undefined ? [] : errorsOfBody(body)),
    ...errorsOfParameters(endpoint),
    ...errorsOfSecurity[security],
    ...(endpoint.errors ?? []),
    ...errorsOfEverything,
  ];
  const codes = errors.map(({ code }) => code);
  // If several have the same code, the endpoint's own is the last one.
  const examples = Object.fromEntries(errors.map((error) => [error.code, error]));
  const responses: Record<string, DescribedResponse> = {
    [response.status]: describeResponse(response),
    ...describeErrors(codes, { ...usualErrors, examples }),
  };
  for (const status of endpoint.pages ?? []) {
    const described = responses[status];
    responses[status] = { ...described, content: { ...described?.content, 'text/html': page } };
  }
  const detail: DocumentDecoration = {
    operationId: id,
    summary,
    tags: [tag],
    security: security === 'none' ? [] : [{ [security]: [] }],
    responses: responses as Responses,
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

function describeResponse({ description, schema, example, mediaType = 'application/json' }: SuccessResponse) {
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
