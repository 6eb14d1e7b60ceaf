/**
 * One endpoint of the document. It lists its errors by code; their statuses and meanings come from the registry, and
 * their form from the endpoint's API format.
 */
import type { ErrorCode } from '../../../shared/errors.ts';
import { describeErrors, type ErrorForm } from '../../../shared/openapi/describe-errors.ts';

export interface Operation {
  /** Unique in the document. */
  readonly id: string;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  /** How the proxy key is sent: not at all, as a bearer token, or also in the header that Anthropic's clients use. */
  readonly key: 'none' | 'bearer' | 'either';
  /** Names of the document's parameters. */
  readonly parameters?: readonly string[];
  readonly body?: { readonly schema: string; readonly examples: Examples };
  readonly response: SuccessResponse;
  /** Successful responses without a body, by status. */
  readonly otherResponses?: Readonly<Record<string, { description: string; headers: object }>>;
  readonly errors: readonly ErrorCode[];
  readonly errorForm?: ErrorForm;
}

type Examples = Readonly<Record<string, { readonly summary: string; readonly value: unknown }>>;

interface SuccessResponse {
  readonly description: string;
  /** Names of the document's headers, beside `x-request-id`. */
  readonly headers?: readonly string[];
  readonly schema: string;
  readonly example: unknown;
  readonly stream?: { readonly schema: string; readonly description: string; readonly example: string };
}

const security = {
  none: [],
  bearer: [{ proxyKey: [] }],
  either: [{ proxyKey: [] }, { apiKeyHeader: [] }],
} as const;

export function describeOperation(operation: Operation): object {
  const { id, tag, summary, description, key, parameters, body, response, otherResponses, errors, errorForm } =
    operation;
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(description !== undefined && { description }),
    security: security[key],
    ...(parameters !== undefined && { parameters: parameters.map((name) => refer('parameters', name)) }),
    ...(body !== undefined && {
      requestBody: {
        required: true,
        content: { 'application/json': { schema: refer('schemas', body.schema), examples: body.examples } },
      },
    }),
    responses: { '200': describeResponse(response), ...otherResponses, ...describeErrors(errors, errorForm) },
  };
}

export const referToHeaders = (names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, refer('headers', name)]));

function describeResponse({ description, headers = [], schema, example, stream }: SuccessResponse) {
  return {
    description,
    headers: referToHeaders(['x-request-id', ...headers]),
    content: {
      'application/json': { schema: refer('schemas', schema), example },
      ...(stream !== undefined && { 'text/event-stream': describeStream(stream) }),
    },
  };
}

/** OpenAPI 3.1 cannot describe events, but JSON Schema can describe JSON in a string. */
function describeStream({ schema, description, example }: NonNullable<SuccessResponse['stream']>) {
  return {
    schema: {
      type: 'string',
      description,
      contentMediaType: 'application/json',
      contentSchema: refer('schemas', schema),
    },
    example,
  };
}

function refer(kind: 'schemas' | 'headers' | 'parameters', name: string) {
  return { $ref: `#/components/${kind}/${name}` };
}
