/** The document of /v1 is complete: everything in it has a description, and no error example is made up. */
import { expect, test } from 'bun:test';
import { buildInferenceDocument } from '../../../../proxy/api/document/document.ts';
import { errorRegistry } from '../../../../shared/errors.ts';
import { findGenericErrors, findUndescribed } from '../../../harness/openapi/find-undescribed.ts';
import type { OpenApiDocument } from '../../../harness/openapi/operations-of.ts';

const document = buildInferenceDocument() as OpenApiDocument;

test('every operation, parameter, header and field has a description of its own', () => {
  expect(findUndescribed(document)).toEqual([]);
});

test("no example of an error shows the registry's description in place of the actual message", () => {
  expect(findGenericErrors(document)).toEqual([]);
});

test('the texts for error messages are not in the document', () => {
  expect(JSON.stringify(document)).not.toContain('"expected":');
});

test('missing, short and repetitive descriptions are found at any depth', () => {
  const field = (description?: string) => ({ type: 'string', description });
  const good = field('Where the letter goes.');
  const nested = { anyOf: [{ type: 'array', items: { type: 'object', properties: { deep: field() } } }] };
  const value = { error: { message: errorRegistry.not_found.meaning } };
  const faulty = {
    openapi: '3.1.0',
    tags: [],
    paths: {
      '/v1/letters': {
        post: {
          parameters: [{ name: 'day', in: 'query', description: 'The day.', schema: {} }],
          requestBody: {
            content: { 'application/json': { schema: { properties: { size: field('a number from 0 to 2') } } } },
          },
          responses: { '404': { content: { 'application/json': { examples: { not_found: { value } } } } } },
        },
      },
    },
    components: {
      securitySchemes: {},
      schemas: {
        Letter: {
          description: 'A letter to send.',
          properties: {
            to: good,
            kind: field('One of the kinds.'),
            parts: { ...nested, description: 'What is in it.' },
          },
        },
      },
    },
  } satisfies OpenApiDocument;
  expect(findUndescribed(faulty)).toEqual([
    'POST /v1/letters has no description',
    'POST /v1/letters: parameter day says only: The day.',
    'POST /v1/letters: body.size says only: a number from 0 to 2',
    'Letter.kind says only: One of the kinds.',
    'Letter.parts[].deep has no description',
  ]);
  expect(findGenericErrors(faulty)).toEqual(['POST /v1/letters: not_found']);
});
