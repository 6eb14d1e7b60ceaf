/**
 * Checks responses against an OpenAPI document: the status and the code of an error must be documented, and a body must
 * be valid, without undocumented members. An error that is documented as a page has no code. Routes that the document does not know are ignored; a separate test checks
 * that none is missing.
 */
import { closedValidator } from './closed-validator.ts';
import type { JsonSchema } from './money.ts';
import { type OpenApiDocument, type Operation, operationsOf, withoutReferences } from './operations-of.ts';

export interface CheckedResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

/** One sentence for each thing that is not documented. */
export type ResponseChecker = (method: string, path: string, response: CheckedResponse) => string[];

/** One sentence for each problem of a body whose schema is valid. */
type BodyCheck = (schema: JsonSchema | undefined, body: unknown) => string[];

export function responseChecker(document: OpenApiDocument, alsoCheck: BodyCheck = () => []): ResponseChecker {
  const { problems } = closedValidator(Object(nullableAsType(withoutReferences(document, ['responses', 'examples']))));
  const operations = operationsOf(document).map((operation) => ({ operation, pattern: patternOf(operation) }));

  return (method, path, { status, headers, body }) => {
    const sent = `${method} ${new URL(path, 'http://localhost').pathname}`;
    const operation = operations.find(({ pattern }) => pattern.test(sent))?.operation;
    if (operation === undefined || status === 304) return [];
    const { route } = operation;
    const response = operation.responses[status];
    if (response === undefined) return [`${route} answers ${status} ${codeOf(body) ?? ''}`];
    const [mediaType = ''] = (headers.get('content-type') ?? '').split(';');
    const media = response.content?.[mediaType];
    if (media === undefined) return body === '' ? [] : [`${route} answers ${status} as ${mediaType}`];
    const code = codeOf(body);
    const isJson = mediaType === 'application/json';
    const isUndocumentedCode = isJson && status >= 400 && !(String(code) in (media.examples ?? {}));
    const reference = referenceOf(operation, status);
    return [
      ...(isUndocumentedCode ? [`${route} answers ${status} ${code}`] : []),
      ...(isJson ? problems(reference, body) : []).map((problem) => `${route} answers ${status} with ${problem}`),
      ...alsoCheck(media.schema, body).map((problem) => `${route} answers ${status}, where ${problem}`),
    ];
  };
}

/** Model ids may contain slashes. */
function patternOf({ route }: Operation): RegExp {
  const parameter = route.includes('/v1/models/') ? '.+' : '[^/]+';
  return new RegExp(`^${route.replaceAll(/\{\w+\}/g, parameter)}$`);
}

function referenceOf({ route }: Operation, status: number): string {
  const [method = '', path = ''] = route.split(' ');
  const steps = ['paths', path, method.toLowerCase(), 'responses', String(status), 'content', 'application/json'];
  const pointer = steps.map((step) => encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/');
  return `#/${pointer}/schema`;
}

function codeOf(body: unknown): unknown {
  return Object(Object(body).error).code;
}

/** `nullable` is OpenAPI before 3.1, not JSON Schema. */
export function nullableAsType(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(nullableAsType);
  if (typeof value !== 'object' || value === null) return value;
  const { nullable, ...rest } = value as Record<string, unknown>;
  const inside = Object.fromEntries(Object.entries(rest).map(([name, member]) => [name, nullableAsType(member)]));
  return nullable === true ? { anyOf: [inside, { type: 'null' }] } : inside;
}
