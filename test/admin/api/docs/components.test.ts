/** What operations share is written once in the document, under a name, and means the same as before. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { type Document, withComponents } from '../../../../admin/api/docs/components.ts';
import { accountDocument } from '../../../harness/openapi/account-document.ts';
import { type OpenApiDocument, operationsOf, withoutReferences } from '../../../harness/openapi/operations-of.ts';

const text = { type: 'string', description: 'A text.' };
const error = (message: string) => ({ value: { error: { message } } });
const json = (media: object) => ({ description: 'A response.', content: { 'application/json': media } });
const success = (schema: object) => ({ '200': json({ schema }) });

function documentOf(operations: Readonly<Record<string, object>>): Document {
  const paths = Object.entries(operations).map(([operationId, responses]) => [
    `/${operationId}`,
    { get: { operationId, responses } },
  ]);
  return { components: { schemas: {} }, paths: Object.fromEntries(paths) };
}

describe('a schema', () => {
  const thing = { type: 'object', title: 'Thing', properties: { title: text, type: text } };

  test('with a title is named by it wherever it is, also where it has a property called title', () => {
    const list = { type: 'object', properties: { things: { type: 'array', items: thing } } };
    const { paths, components } = withComponents(documentOf({ getThing: success(thing), listThings: success(list) }));
    const reference = { $ref: '#/components/schemas/Thing' };
    expect(Object(paths['/getThing']).get.responses[200].content['application/json'].schema).toEqual(reference);
    const { title: _, ...untitled } = thing;
    expect(components.schemas).toEqual({
      Thing: untitled,
      ListThingsResponse: { type: 'object', properties: { things: { type: 'array', items: reference } } },
    });
  });

  test('without a title is named by the first operation that has it', () => {
    const { title: _, ...untitled } = thing;
    const { components } = withComponents(documentOf({ one: success(untitled), other: success({ ...untitled }) }));
    expect(components.schemas).toEqual({ OneResponse: untitled });
  });

  test('stays where it is if null is allowed, because OpenAPI 3.0 cannot say so beside a reference', () => {
    const holder = { type: 'object', properties: { thing: { ...thing, nullable: true } } };
    const { components } = withComponents(documentOf({ hold: success(holder) }));
    expect(Object.keys(components.schemas ?? {})).toEqual(['HoldResponse']);
  });

  test('that differs from another of the same title is refused', () => {
    const other = { ...thing, properties: { name: text } };
    expect(() => withComponents(documentOf({ one: success(thing), other: success(other) }))).toThrow(
      'Two schemas are named Thing.',
    );
  });
});

test('the most frequent error response of a status and the most frequent example of a code are shared', () => {
  const refusal = (message: string) => ({ '403': json({ examples: { access_denied: error(message) } }) });
  const { paths, components } = withComponents(
    documentOf({ one: refusal('No.'), two: refusal('No.'), three: refusal('Not you.') }),
  );
  expect(components.examples).toEqual({ access_denied: error('No.') });
  expect(Object.keys(components.responses ?? {})).toEqual(['Error403']);
  expect(Object(paths['/one']).get.responses['403']).toEqual({ $ref: '#/components/responses/Error403' });
  expect(Object(paths['/three']).get.responses['403']).toEqual(refusal('Not you.')['403']);
});

test('without its references, a document with components is the one that it was made from', () => {
  const schema = fc.letrec<{ schema: object }>((tie) => ({
    schema: fc.oneof(
      { maxDepth: 3 },
      fc.constant(text),
      fc.record({ type: fc.constant('object'), properties: fc.dictionary(fc.string(), tie('schema'), { maxKeys: 3 }) }),
      fc.record({ type: fc.constant('array'), items: tie('schema') }),
    ),
  })).schema;
  const responses = fc.record({
    '200': schema.map((inner) => json({ schema: inner })),
    '400': fc
      .dictionary(fc.constantFrom('a', 'b'), fc.constantFrom(error('One.'), error('Two.')))
      .map((examples) => json({ examples })),
  });
  fc.assert(
    fc.property(fc.dictionary(fc.stringMatching(/^[a-z]{1,9}$/), responses, { maxKeys: 6 }), (operations) => {
      const document = documentOf(operations);
      const shared = withComponents(document) as unknown as OpenApiDocument;
      expect(withoutReferences(shared).paths).toEqual(document.paths as unknown as OpenApiDocument['paths']);
    }),
  );
});

test('no body of an operation of /api is without a name', async () => {
  const raw: OpenApiDocument = await Bun.file(`${import.meta.dir}/openapi.snapshot.json`).json();
  const inline = operationsOf(raw).flatMap(({ route, requestBody, responses }) =>
    [requestBody, ...Object.values(responses)]
      .flatMap((body) => Object.values(body?.content ?? {}))
      .filter(({ schema }) => schema?.properties !== undefined)
      .map(() => route),
  );
  expect(inline).toEqual([]);
  expect(Object.keys(raw.components.schemas).length).toBeGreaterThan(60);
  expect(operationsOf(accountDocument).length).toBe(operationsOf(raw).length);
});
