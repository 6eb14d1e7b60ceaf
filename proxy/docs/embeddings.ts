/** POST /v1/embeddings in the document. */
import { Type } from '@sinclair/typebox';
import { embeddingRequestSchema } from '../request/embedding-request.ts';
import { inferenceErrorForm, inferenceErrors } from './error-codes.ts';
import { withNotes } from './field-notes.ts';
import { paidHeaders } from './headers.ts';
import { describeOperation } from './operation.ts';
import { count, text, usd } from './schema-parts.ts';

const request = withNotes(embeddingRequestSchema, {
  model: 'The id of an embedding model of `GET /v1/models`.',
  input: 'A text, or several, each of which gets a vector of its own.',
  encoding_format: '`base64` is shorter: little-endian floats of 32 bits. `float` where nothing is said.',
  dimensions: 'The length of the vectors, where the model lets you choose.',
  user: 'Your own name for whoever asks. It is passed on to the provider.',
});

const embeddingList = Type.Object({
  object: Type.Literal('list'),
  data: Type.Array(
    Type.Object({
      object: Type.Literal('embedding'),
      index: Type.Integer({ minimum: 0, description: 'Which of the inputs.' }),
      embedding: Type.Union([Type.Array(Type.Number()), Type.String()], {
        description: 'Numbers, or a text where `base64` was asked for.',
      }),
    }),
    { description: 'In the order of the inputs.' },
  ),
  model: text('The model that was asked, by the id that the request has.'),
  usage: Type.Object({
    prompt_tokens: count('Tokens of the inputs.'),
    total_tokens: count('The same; there is no output.'),
    cost: usd('What was charged, in USD.'),
  }),
});

export const embeddingSchemas = { EmbeddingRequest: request, EmbeddingList: embeddingList };

export const embeddingPaths = {
  '/v1/embeddings': {
    post: describeOperation({
      id: 'createEmbedding',
      tag: 'Embeddings',
      summary: 'Turn texts into vectors',
      key: 'bearer',
      parameters: ['IdempotencyKey'],
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
      answer: {
        description: 'The vectors.',
        headers: paidHeaders,
        schema: 'EmbeddingList',
        example: {
          object: 'list',
          data: [{ object: 'embedding', index: 0, embedding: [0.0123, -0.0456, 0.0789] }],
          model: 'demo/embedding',
          usage: { prompt_tokens: 5, total_tokens: 5, cost: 0.0000006 },
        },
      },
      errors: inferenceErrors,
      errorForm: inferenceErrorForm,
    }),
  },
};
