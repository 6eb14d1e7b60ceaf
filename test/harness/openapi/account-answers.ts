/**
 * Holds what admin answers against its document: the status and the code of a refusal have to be told there, and a
 * body has to be valid, without a member that the document does not name, and with money told alike twice. A route that the document does not know is
 * passed over; that none is missing is tested on its own.
 */
import { join } from 'node:path';
import { closedValidator } from './closed-validator.ts';
import { disagreements } from './money.ts';
import { type OpenApiDocument, type Operation, operationsOf } from './operations-of.ts';

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

const document = await Bun.file(join(import.meta.dir, '../../admin/docs/openapi.snapshot.json')).json();
const { problems } = closedValidator(Object(nullableAsType(document)));
const operations = operationsOf(document as OpenApiDocument).map((operation) => ({
  operation,
  pattern: new RegExp(`^${operation.route.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
}));

/** One sentence for each thing that the document does not tell. */
export function untold(method: string, path: string, { status, headers, body }: Answer): string[] {
  const route = `${method} ${new URL(path, 'http://localhost').pathname}`;
  const operation = operations.find(({ pattern }) => pattern.test(route))?.operation;
  if (operation === undefined || status === 304) return [];
  const response = operation.responses[status];
  if (response === undefined) return [`${route} answers ${status} ${codeOf(body) ?? ''}`];
  const [mediaType = ''] = (headers.get('content-type') ?? '').split(';');
  const media = response.content?.[mediaType];
  if (media === undefined) return body === '' ? [] : [`${route} answers ${status} as ${mediaType}`];
  const code = codeOf(body);
  const untoldCode = status >= 400 && !(String(code) in (media.examples ?? {}));
  return [
    ...(untoldCode ? [`${route} answers ${status} ${code}`] : []),
    ...(mediaType === 'application/json' ? problemsOf(operation, { status, body }) : []).map(
      (problem) => `${route} answers ${status} with ${problem}`,
    ),
    ...disagreements(media.schema, body).map((money) => `${route} answers ${status}, where ${money}`),
  ];
}

function problemsOf({ route }: Operation, { status, body }: { status: number; body: unknown }): string[] {
  const [method = '', path = ''] = route.split(' ');
  const steps = ['paths', path, method.toLowerCase(), 'responses', String(status), 'content', 'application/json'];
  const pointer = steps.map((step) => encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/');
  return problems(`#/${pointer}/schema`, body);
}

function codeOf(body: unknown): unknown {
  return Object(Object(body).error).code;
}

/** `nullable` is OpenAPI's word, not JSON Schema's. */
function nullableAsType(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(nullableAsType);
  if (typeof value !== 'object' || value === null) return value;
  const { nullable, ...rest } = value as Record<string, unknown>;
  const inside = Object.fromEntries(Object.entries(rest).map(([name, member]) => [name, nullableAsType(member)]));
  return nullable === true ? { anyOf: [inside, { type: 'null' }] } : inside;
}
