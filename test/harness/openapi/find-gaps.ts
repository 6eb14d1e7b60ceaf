/** What an OpenAPI document leaves out that no linter checks: one sentence per gap. */
import { errorRegistry } from '../../../shared/errors.ts';
import { type MediaType, type OpenApiDocument, type Operation, operationsOf } from './operations-of.ts';

/** Errors of every operation with parameters. */
const codesWith = {
  json: ['invalid_json'],
  body: ['invalid_parameter', 'body_too_large'],
  /** In an optional body nothing is required. */
  requiredBody: ['missing_parameter'],
  always: ['internal_error'],
  accessToken: ['invalid_token'],
  billingKey: ['missing_api_key', 'invalid_api_key', 'key_expired', 'key_deactivated', 'wrong_key_type'],
  proxyKey: ['missing_api_key', 'invalid_api_key', 'key_expired', 'key_deactivated', 'wrong_key_type'],
} as const;

export function findGaps(document: OpenApiDocument): string[] {
  const operations = operationsOf(document);
  const ids = operations.map(({ operationId }) => operationId);
  return [
    ...ids.filter((id, index) => ids.indexOf(id) !== index).map((id) => `two operations are ${id}`),
    ...operations.flatMap((operation) =>
      [...gapsOfHead(operation, document), ...gapsOfBodies(operation), ...gapsOfErrors(operation)].map(
        (gap) => `${operation.route}: ${gap}`,
      ),
    ),
  ];
}

function gapsOfHead({ operationId, summary, tags = [], security }: Operation, document: OpenApiDocument): string[] {
  const known = new Set(document.tags.map(({ name }) => name));
  const schemes = (security ?? []).flatMap(Object.keys);
  return [
    ...(operationId ? [] : ['no operationId']),
    ...(summary ? [] : ['no summary']),
    ...(tags.length === 1 ? [] : ['not one tag']),
    ...tags.filter((tag) => !known.has(tag)).map((tag) => `unknown tag ${tag}`),
    ...(security === undefined ? ['no security'] : []),
    ...schemes.filter((name) => !(name in document.components.securitySchemes)).map((name) => `unknown ${name}`),
  ];
}

function gapsOfBodies({ requestBody, responses }: Operation): string[] {
  const bodies = [
    ...Object.entries(requestBody?.content ?? {}).map(([type, media]) => ({ of: `request as ${type}`, media })),
    ...Object.entries(responses).flatMap(([status, { content = {} }]) =>
      Object.entries(content).map(([type, media]) => ({ of: `${status} as ${type}`, media })),
    ),
  ];
  return [
    ...bodies.filter(({ media }) => !hasExample(media)).map(({ of }) => `no example of ${of}`),
    ...bodies.filter(({ media }) => media.schema === undefined).map(({ of }) => `no schema of ${of}`),
    ...Object.entries(responses).flatMap(([status, { description }]) =>
      description ? [] : [`no description for ${status}`],
    ),
    ...(Object.keys(responses).some((status) => Number(status) < 400) ? [] : ['no success']),
  ];
}

function hasExample({ example, examples = {} }: MediaType): boolean {
  return example !== undefined || Object.values(examples).some(({ value }) => value !== undefined);
}

/** The examples of an error are named by their codes. */
function gapsOfErrors({ requestBody, responses, security = [] }: Operation): string[] {
  const documented = Object.entries(responses)
    .filter(([status]) => Number(status) >= 400)
    .flatMap(([status, { content }]) => {
      const examples = content?.['application/json']?.examples ?? {};
      return Object.entries(examples).map(([code, { value }]) => ({ status: Number(status), code, value }));
    });
  const codes = new Set(documented.map(({ code }) => code));
  const schemes = security.flatMap(Object.keys);
  const expected = [
    ...codesWith.always,
    ...(requestBody === undefined ? [] : codesWith.body),
    ...(requestBody?.content['application/json'] === undefined ? [] : codesWith.json),
    ...(requestBody?.required === true ? codesWith.requiredBody : []),
    ...schemes.flatMap((name) => (name in codesWith ? codesWith[name as keyof typeof codesWith] : [])),
  ];
  return [
    ...expected.filter((code) => !codes.has(code)).map((code) => `does not document ${code}`),
    ...documented
      .filter(({ status, code }) => statusOf(code) !== status)
      .map(({ code }) => `${code} has another status`),
    ...documented
      .filter(({ code, value }) => Object(value).error?.code !== code)
      .map(({ code }) => `${code} shows another`),
  ];
}

function statusOf(code: string): number | undefined {
  return Object.entries(errorRegistry).find(([name]) => name === code)?.[1].status;
}
