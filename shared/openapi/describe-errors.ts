/** The error responses of an endpoint: one per status, with an example for each code that it may carry. */
import { type ErrorBody, type ErrorCode, errorBody, errorRegistry, GatewayError } from '../errors.ts';

/** How an API renders errors. */
export interface ErrorForm {
  /** A component of the document: `Error`. */
  readonly schema: string;
  readonly render: (error: GatewayError) => object;
  /** Components of the document, in addition to `errorHeaders`. */
  headersOf?(status: number): readonly string[];
  /** Errors as the program really returns them. Without one, the example's message is the registry's description. */
  readonly examples?: ErrorExamples;
}

export type ErrorExamples = Readonly<Partial<Record<ErrorCode, GatewayError>>>;

export const usualErrors: ErrorForm = { schema: 'Error', render: (error): ErrorBody => errorBody(error) };

/**
 * Refers to the schema of `form` and to `errorHeaders` as components of the document. An error is the example of its
 * code; of several with one code, the last.
 */
export function describeErrors(
  errors: readonly (ErrorCode | GatewayError)[],
  form = usualErrors,
): Record<string, ErrorResponse> {
  const own = errors.filter((error) => typeof error !== 'string').map((error) => [error.code, error] as const);
  const withOwn: ErrorForm = { ...form, examples: { ...form.examples, ...Object.fromEntries(own) } };
  const codes = new Set(errors.map((error) => (typeof error === 'string' ? error : error.code)));
  const byStatus = Map.groupBy(codes, (code) => errorRegistry[code].status);
  return Object.fromEntries(
    [...byStatus].map(([status, group]) => [String(status), describeStatus(status, { codes: group, form: withOwn })]),
  );
}

interface ErrorResponse {
  readonly description: string;
  readonly headers: object;
  readonly content: object;
}

/** Headers of all responses, and of errors. Components of the document. */
export const errorHeaders = {
  'x-request-id': {
    description: 'The id of this request. Give it to support if you need help.',
    schema: { type: 'string', format: 'uuid' },
    example: '01940b5e-7c1f-7a3b-9d2e-5f60718293a4',
  },
  'retry-after': {
    description: 'How many seconds to wait before a retry. Only if a retry may succeed.',
    schema: { type: 'integer', minimum: 1 },
    example: 1,
  },
  'www-authenticate': {
    description: 'How to send credentials.',
    schema: { type: 'string' },
    example: 'Bearer',
  },
} as const;

function describeStatus(
  status: number,
  { codes, form }: { codes: readonly ErrorCode[]; form: ErrorForm },
): ErrorResponse {
  const headers = ['x-request-id', ...(form.headersOf?.(status) ?? [])];
  if (status === 401) headers.push('www-authenticate');
  if (isWorthRepeating(status) || codes.includes('balance_reserved')) headers.push('retry-after');
  return {
    description: codes.map((code) => `\`${code}\`: ${errorRegistry[code].meaning}`).join('\n\n'),
    headers: Object.fromEntries(headers.map((name) => [name, { $ref: `#/components/headers/${name}` }])),
    content: {
      'application/json': {
        schema: { $ref: `#/components/schemas/${form.schema}` },
        examples: Object.fromEntries(codes.map((code) => [code, { value: exampleOf(code, form) }])),
      },
    },
  };
}

function isWorthRepeating(status: number): boolean {
  return status === 409 || status === 429 || status === 503;
}

function exampleOf(code: ErrorCode, { render, examples }: ErrorForm): object {
  return render(examples?.[code] ?? new GatewayError(code, errorRegistry[code].meaning));
}
