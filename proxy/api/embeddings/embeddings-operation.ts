/** POST /v1/embeddings in the OpenAPI document. */
import { Type } from '@sinclair/typebox';
import { describeOperation } from '../../../shared/openapi/describe-operation.ts';
import { inferenceErrorForm, inferenceErrors } from '../document/error-codes.ts';
import { refusalsOfBodies } from '../document/error-examples.ts';
import { repeatableHeaders } from '../document/headers.ts';
import { always, count, text, usd } from '../document/schema-parts.ts';
import { proxyKey } from '../document/security.ts';
import { embeddingRequestSchema } from './embedding-request.ts';
import { readEmbedding } from './embeddings.ts';

const embeddingList = Type.Object(
  {
    object: always('list'),
    data: Type.Array(
      Type.Object({
        object: always('embedding'),
        index: Type.Integer({ minimum: 0, description: 'The index of the input that the vector represents, from 0.' }),
        embedding: Type.Union([Type.Array(Type.Number()), Type.String()], {
          description: 'The vector: a list of numbers, or base64 if `encoding_format` asks for it.',
        }),
      }),
      { description: 'One vector for each input, in the order of the inputs.' },
    ),
    model: text('The model that you requested.'),
    usage: Type.Object(
      {
        prompt_tokens: count('Tokens of all inputs together.'),
        total_tokens: count('The same as `prompt_tokens`, because there is no output.'),
        cost: usd('The cost of the request in USD.'),
      },
      { description: 'The tokens that were used, and their cost.' },
    ),
  },
  { description: 'The vectors of the inputs.' },
);

export const embeddingSchemas = { EmbeddingRequest: embeddingRequestSchema, EmbeddingList: embeddingList };

const validBody = { model: 'demo/embedding', input: 'The quick brown fox' };
const refusals = refusalsOfBodies(readEmbedding, {
  missing_parameter: { model: validBody.model },
  invalid_parameter: { ...validBody, dimensions: 0 },
  unsupported_parameter: { ...validBody, service_tier: 'scale' },
});

export const embeddingPaths = {
  '/v1/embeddings': {
    post: describeOperation({
      id: 'createEmbedding',
      tag: 'Embeddings',
      summary: 'Turn texts into vectors',
      description:
        'For models of kind `embedding`. Texts of similar meaning get vectors that are close to each other, which makes them ' +
        'useful for search and clustering. Send many texts in one request to save round trips; the price is the same.',
      security: proxyKey,
      parameters: ['IdempotencyKey', 'Cache'],
      body: {
        schema: 'EmbeddingRequest',
        examples: {
          one: { summary: 'One text', value: { model: 'demo/embedding', input: 'The quick brown fox' } },
          several: {
            summary: 'Several texts, as base64',
            value: { model: 'demo/embedding', input: ['red', 'green'], encoding_format: 'base64' },
          },
        },
      },
      response: {
        description: 'One vector for each input.',
        headers: repeatableHeaders,
        schema: 'EmbeddingList',
        example: {
          object: 'list',
          data: [{ object: 'embedding', index: 0, embedding: [0.0123, -0.0456, 0.0789] }],
          model: 'demo/embedding',
          usage: { prompt_tokens: 5, total_tokens: 5, cost: 0.0000006 },
        },
      },
      errors: [...inferenceErrors, ...refusals],
      errorForm: inferenceErrorForm,
    }),
  },
};
