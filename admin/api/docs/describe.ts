/**
 * Describes an endpoint with the schemas that its handler validates with, and the errors as the code that throws them
 * makes them. Those that follow from security, parameters and body are added here.
 */
import type { TObject, TSchema } from '@sinclair/typebox';
import type { DocumentDecoration } from 'elysia';
import type { GatewayError } from '../../../shared/errors.ts';
import {
  type DescribedOperation,
  describeOperation,
  type Operation,
  type SuccessResponse,
} from '../../../shared/openapi/describe-operation.ts';
import { exampleOf } from '../../../shared/openapi/example-of.ts';
import { refuseUnknownParameters } from '../../http/request/refuse-unknown-parameters.ts';
import { errorsOfBody, errorsOfEverything, errorsOfParameters, errorsOfSecurity } from './error-examples.ts';
import { openApi30Schema } from './plain-schema.ts';

/** How the client authenticates. */
export type Security = 'accessToken' | 'billingKey' | 'none';

export interface Endpoint extends Pick<Operation, 'id' | 'tag' | 'summary' | 'description'> {
  readonly security: Security;
  readonly params?: TObject;
  readonly query?: TObject;
  readonly headers?: TObject;
  readonly body?: { readonly schema: TObject; readonly example?: unknown; readonly optional?: boolean };
  readonly response: Omit<SuccessResponse, 'headers' | 'stream' | 'schema'> & { readonly schema?: TSchema };
  /** Besides those that follow from security, parameters and body, or instead of them. */
  readonly errors?: readonly GatewayError[];
  /** The statuses that a browser gets as a page, instead of JSON. */
  readonly pages?: readonly number[];
}

export interface Described {
  readonly detail: DocumentDecoration;
  /** Refuses query parameters that the endpoint does not document. */
  readonly beforeHandle: (context: { readonly request: Request }) => void;
}

/** The route options that document it and enforce what is documented. Examples are composed of the fields' by default. */
export function describe(endpoint: Endpoint): Described {
  const { params, query, headers, body: sent, response, security, errors = [], pages = [], ...texts } = endpoint;
  const body = sent && { ...sent, example: sent.example ?? exampleOf(sent.schema) };
  const operation = describeOperation({
    ...texts,
    security: security === 'none' ? [] : [security],
    parameters: [
      ...describeParameters('path', params),
      ...describeParameters('query', query),
      ...describeParameters('header', headers),
    ],
    ...(body !== undefined && { body: { ...body, schema: openApi30Schema(body.schema) } }),
    response: withPlainSchema(response),
    errors: [
      ...(body === undefined ? [] : errorsOfBody(body)),
      ...errorsOfParameters(endpoint),
      ...errorsOfSecurity[security],
      ...errors,
      ...errorsOfEverything,
    ],
  });
  return {
    detail: withPages(operation, pages) as DocumentDecoration,
    beforeHandle: ({ request }) => refuseUnknownParameters(request.url, query),
  };
}

function withPlainSchema({ schema, ...response }: Endpoint['response']): SuccessResponse {
  if (schema === undefined) return response;
  return { ...response, schema: openApi30Schema(schema), example: response.example ?? exampleOf(schema) };
}

const page = { schema: { type: 'string' }, example: '<!doctype html>…' };

function withPages(operation: DescribedOperation, statuses: readonly number[]): DescribedOperation {
  const withPage = statuses.map((status) => {
    const response = operation.responses[status];
    return [status, { ...response, content: { ...response?.content, 'text/html': page } }];
  });
  return { ...operation, responses: { ...operation.responses, ...Object.fromEntries(withPage) } };
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
