/**
 * One operation of an OpenAPI document, for both programs. Where a schema, a parameter or a header is a string, it is
 * the name of a component of the document. Statuses and meanings of errors come from the registry.
 */
import type { ErrorCode, GatewayError } from '../errors.ts';
import { describeErrors, type ErrorForm } from './describe-errors.ts';

export interface Operation {
  /** Unique in the document: `createKey`. */
  readonly id: string;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  /** The security schemes of the document that the client may choose from; none if it needs no key. */
  readonly security: readonly string[];
  readonly parameters?: readonly (string | object)[];
  readonly body?: RequestBody;
  readonly response: SuccessResponse;
  /** Without a body: `304`. */
  readonly otherResponses?: readonly SuccessResponse[];
  /** Codes, or errors as the code that throws them makes them. If several have one code, the last is the example. */
  readonly errors: readonly (ErrorCode | GatewayError)[];
  readonly errorForm?: ErrorForm;
}

interface RequestBody {
  /** JSON by default. */
  readonly mediaType?: string;
  readonly schema: string | object;
  readonly example?: unknown;
  /** Instead of one example. */
  readonly examples?: Readonly<Record<string, { readonly summary: string; readonly value: unknown }>>;
  readonly optional?: boolean;
}

export interface SuccessResponse {
  /** 200 by default. */
  readonly status?: number;
  readonly description: string;
  /** Beside `x-request-id`. */
  readonly headers?: readonly string[];
  readonly schema?: string | object;
  readonly example?: unknown;
  /** JSON by default. */
  readonly mediaType?: string;
  readonly stream?: { readonly schema: string; readonly description: string; readonly example: string };
}

/** The operation object of OpenAPI. */
export interface DescribedOperation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly security: readonly object[];
  readonly parameters?: readonly object[];
  readonly requestBody?: object;
  readonly responses: Readonly<Record<string, DescribedResponse>>;
}

interface DescribedResponse {
  readonly description: string;
  readonly headers: object;
  readonly content?: object;
}

export function describeOperation(operation: Operation): DescribedOperation {
  const { id, tag, summary, description, security, parameters = [], body, response, otherResponses = [] } = operation;
  const successes = [response, ...otherResponses];
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(description !== undefined && { description }),
    security: security.map((scheme) => ({ [scheme]: [] })),
    ...(parameters.length > 0 && { parameters: parameters.map((parameter) => component('parameters', parameter)) }),
    ...(body !== undefined && { requestBody: describeBody(body) }),
    responses: {
      ...Object.fromEntries(successes.map((success) => [success.status ?? 200, describeResponse(success)])),
      ...describeErrors(operation.errors, operation.errorForm),
    },
  };
}

function describeBody({ mediaType = 'application/json', schema, example, examples, optional = false }: RequestBody) {
  const content = { schema: component('schemas', schema), ...(examples === undefined ? { example } : { examples }) };
  return { required: !optional, content: { [mediaType]: content } };
}

function describeResponse(response: SuccessResponse): DescribedResponse {
  const { description, headers = [], schema, example, mediaType = 'application/json', stream } = response;
  const names = ['x-request-id', ...headers];
  return {
    description,
    headers: Object.fromEntries(names.map((name) => [name, component('headers', name)])),
    ...(schema !== undefined && {
      content: {
        [mediaType]: { schema: component('schemas', schema), example },
        ...(stream !== undefined && { 'text/event-stream': describeStream(stream) }),
      },
    }),
  };
}

/** OpenAPI 3.1 cannot describe events, but JSON Schema can describe JSON in a string. */
function describeStream({ schema, description, example }: NonNullable<SuccessResponse['stream']>) {
  return {
    schema: {
      type: 'string',
      description,
      contentMediaType: 'application/json',
      contentSchema: component('schemas', schema),
    },
    example,
  };
}

function component(kind: 'schemas' | 'headers' | 'parameters', described: string | object): object {
  return typeof described === 'string' ? { $ref: `#/components/${kind}/${described}` } : described;
}
