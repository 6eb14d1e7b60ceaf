/** The document of /v1 is built from the schemas that validate requests, is complete, and is the one that is served. */
import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import Ajv from 'ajv/dist/2020.js';
import { Glob } from 'bun';
import { completionRequestSchema } from '../../../../proxy/api/completions/completion-request.ts';
import { buildInferenceDocument } from '../../../../proxy/api/document/document.ts';
import { embeddingRequestSchema } from '../../../../proxy/api/embeddings/embedding-request.ts';
import { endpoints } from '../../../../proxy/api/endpoints.ts';
import { imageRequestSchema } from '../../../../proxy/api/images/image-request.ts';
import { messagesRequestSchema } from '../../../../proxy/api/messages/request/request-schema.ts';
import { moderationRequestSchema } from '../../../../proxy/api/moderations/moderation-request.ts';
import { rerankRequestSchema } from '../../../../proxy/api/rerank/rerank-request.ts';
import { speechRequestSchema } from '../../../../proxy/api/speech/speech-request.ts';
import { chatRequestSchema } from '../../../../proxy/nouns/requests/chat-request.ts';
import { responsesRequestSchema } from '../../../../proxy/nouns/requests/responses-request.ts';
import { errorRegistry, GatewayError } from '../../../../shared/errors.ts';
import { checkValue } from '../../../../shared/http/check-value.ts';
import { exampleProblems, examplesOf } from '../../../harness/openapi/example-problems.ts';
import { findGaps } from '../../../harness/openapi/find-gaps.ts';
import { type OpenApiDocument, operationsOf } from '../../../harness/openapi/operations-of.ts';
import { expectSnapshot } from '../../../harness/openapi/snapshot.ts';

const root = join(import.meta.dir, '../../../..');
const file = join(root, 'shared/openapi/inference.json');
/** The files of the document itself, which list error codes without raising them. */
const describesResponses = /\/proxy\/api\/(document\/|.*(-operations?|-schemas?|-examples)\.ts$)/;
const document = buildInferenceDocument() as OpenApiDocument;
const operations = operationsOf(document);

test('the file that both programs serve matches the schemas (npm run openapi writes it)', async () => {
  await expectSnapshot(file, document);
});

test('every operation has a tag, an id, a summary, security, examples and its error codes', () => {
  expect(findGaps(document)).toEqual([]);
});

test('every example is valid, each event of a stream too', () => {
  expect(examplesOf(document).length).toBeGreaterThan(100);
  expect(exampleProblems(document)).toEqual([]);
});

test('every inference endpoint is described', () => {
  expect(Object.keys(document.paths)).toEqual(expect.arrayContaining(Object.keys(endpoints)));
});

test('every error of the proxy is listed by an operation, except for that of a wrong method', async () => {
  const sources = await Array.fromAsync(new Glob('proxy/**/*.ts').scan({ cwd: root, absolute: true }));
  const texts = await Promise.all(
    sources.filter((path) => !describesResponses.test(path)).map((path) => Bun.file(path).text()),
  );
  const given = Object.keys(errorRegistry).filter((code) => texts.some((text) => text.includes(`'${code}'`)));
  const documented = operations.flatMap(({ responses }) =>
    Object.values(responses).flatMap(({ content }) => Object.keys(content?.['application/json']?.examples ?? {})),
  );
  expect(given.filter((code) => !documented.includes(code))).toEqual(['method_not_allowed']);
});

describe('a request body', () => {
  const ajv = new Ajv({ strict: false, validateFormats: false });
  ajv.addSchema({ $id: 'inference', ...document });
  const accepts = (schema: string, value: unknown) => ajv.validate(`inference#/components/schemas/${schema}`, value);
  const passes = (schema: Parameters<typeof checkValue>[0], value: unknown) => {
    try {
      checkValue(schema, value);
      return true;
    } catch (error) {
      if (error instanceof GatewayError) return false;
      throw error;
    }
  };
  const message = { role: 'user', content: 'Hello!' };
  const chat = { model: 'm', messages: [message] };

  test.each([
    ['ChatCompletionRequest', chatRequestSchema, chat],
    ['CompletionRequest', completionRequestSchema, { model: 'm', prompt: 'Once' }],
    ['EmbeddingRequest', embeddingRequestSchema, { model: 'm', input: 'red' }],
    ['ImageRequest', imageRequestSchema, { model: 'm', prompt: 'red' }],
    ['SpeechRequest', speechRequestSchema, { model: 'm', input: 'red', voice: 'alloy' }],
    ['ModerationRequest', moderationRequestSchema, { model: 'm', input: 'red' }],
    ['RerankRequest', rerankRequestSchema, { model: 'm', query: 'red', documents: ['a'] }],
    ['MessageRequest', messagesRequestSchema, { ...chat, max_tokens: 1 }],
    ['ResponseRequest', responsesRequestSchema, { model: 'm', input: 'Hello!' }],
  ] as const)('is valid as %s in the document exactly if the proxy accepts it', (name, schema, body) => {
    const values = [null, true, 0, 1, 2.5, -3, 1e9, '', 'auto', 'float', [], [1], ['a'], [[1]], {}, { type: 'x' }];
    const differing: string[] = [];
    for (const field of Object.keys(schema.properties)) {
      const property = document.components.schemas[name]?.properties?.[field];
      // For shapes that are checked after the first schema, the document is more precise.
      if (isShaped(name, field)) continue;
      for (const value of values) {
        const changed = { ...body, [field]: value };
        if (accepts(name, changed) !== passes(schema, changed)) {
          differing.push(`${field} = ${JSON.stringify(value)}: ${JSON.stringify(property)}`);
        }
      }
      const { [field]: _, ...without } = body as Record<string, unknown>;
      if (accepts(name, without) !== passes(schema, without)) differing.push(`without ${field}`);
    }
    expect(differing).toEqual([]);
  });

  test('is valid in each example', () => {
    for (const { requestBody } of operations) {
      const { schema, examples } = requestBody?.content['application/json'] ?? {};
      for (const [title, { value }] of Object.entries(examples ?? {})) {
        expect({ title, isValid: accepts(schema?.$ref?.split('/').at(-1) ?? '', value) }).toMatchObject({
          isValid: true,
        });
      }
    }
  });
});

const shapedFields: Readonly<Record<string, readonly string[]>> = {
  MessageRequest: ['messages', 'system'],
  ResponseRequest: ['input', 'tools', 'tool_choice', 'text', 'reasoning'],
};

function isShaped(schema: string, field: string): boolean {
  return shapedFields[schema]?.includes(field) === true;
}
