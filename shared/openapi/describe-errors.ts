/** The error answers of an endpoint: one response a status, with an example for each code that it may carry. */
import { type ErrorBody, type ErrorCode, errorBody, errorRegistry, GatewayError } from '../errors.ts';

/** How an interface tells errors. */
export interface ErrorForm {
  /** A component of the document: `Error`. */
  readonly schema: string;
  render(error: GatewayError): object;
  /** Components of the document, beside `errorHeaders`. */
  headersOf?(status: number): readonly string[];
}

export const usualErrors: ErrorForm = { schema: 'Error', render: (error): ErrorBody => errorBody(error) };

/** Refers to the schema of `form`, and to `errorHeaders` as components of the document. */
export function describeErrors(codes: readonly ErrorCode[], form = usualErrors): Record<string, unknown> {
  const byStatus = Map.groupBy(new Set(codes), (code) => errorRegistry[code].status);
  return Object.fromEntries(
    [...byStatus].map(([status, group]) => [String(status), describeStatus(status, { codes: group, form })]),
  );
}

/** Of answers in general, and of those that refuse. Components of the document. */
export const errorHeaders = {
  'x-request-id': {
    description: 'The id of this request, a UUID. Support and the logs know it.',
    schema: { type: 'string', format: 'uuid' },
    example: '01940b5e-7c1f-7a3b-9d2e-5f60718293a4',
  },
  'retry-after': {
    description: 'When to come again, in seconds; where that would help.',
    schema: { type: 'integer', minimum: 1 },
    example: 1,
  },
  'www-authenticate': {
    description: 'The scheme that would help.',
    schema: { type: 'string' },
    example: 'Bearer',
  },
} as const;

function describeStatus(status: number, { codes, form }: { codes: readonly ErrorCode[]; form: ErrorForm }) {
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

/** Which parameter is at fault is said by the real answer only. */
function exampleOf(code: ErrorCode, form: ErrorForm): object {
  return form.render(new GatewayError(code, errorRegistry[code].meaning));
}
