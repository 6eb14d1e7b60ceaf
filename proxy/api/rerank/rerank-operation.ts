/** POST /v1/rerank in the document. */
import { Type } from '@sinclair/typebox';
import { describeOperation } from '../../../shared/openapi/describe-operation.ts';
import { inferenceErrorForm, inferenceErrors } from '../document/error-codes.ts';
import { refusalsOfBodies } from '../document/error-examples.ts';
import { paidHeaders } from '../document/headers.ts';
import { count, text, usd } from '../document/schema-parts.ts';
import { proxyKey } from '../document/security.ts';
import { readRerank } from './rerank.ts';
import { rerankRequestSchema } from './rerank-request.ts';

const ranking = Type.Object(
  {
    id: text('An identifier of the response.'),
    model: text('The model that responded.'),
    results: Type.Array(
      Type.Object({
        index: count('The place of the document in the request, from 0.'),
        relevance_score: Type.Number({
          description: 'How relevant it is to the query. Only comparable within a response; most models give 0 to 1.',
        }),
        document: Type.Optional(
          Type.Object(
            { text: text('What was ranked.') },
            {
              description: 'The document, with everything that the request has in it. Only with `return_documents`.',
              additionalProperties: true,
            },
          ),
        ),
      }),
      { description: 'The most relevant documents, the best first.' },
    ),
    meta: Type.Object(
      {
        api_version: Type.Object(
          { version: text('Always `1`: what its clients of either version read.') },
          { description: "The version of Cohere's API that the response follows." },
        ),
        billed_units: Type.Object(
          {
            search_units: Type.Optional(count('Searches of up to 100 documents, of models that are paid by them.')),
            input_tokens: Type.Optional(count('Tokens, of models that are paid by them.')),
          },
          { description: 'What has been charged, as Cohere reports it.' },
        ),
      },
      { description: "What Cohere's clients expect beside the results." },
    ),
    usage: Type.Object(
      {
        prompt_tokens: count(
          'Tokens of the documents, and of the query for each of them; 0 if they cost nothing and are not reported.',
        ),
        total_tokens: count('The same as `prompt_tokens`, because there is no output.'),
        cost: usd('The cost of the request in USD. It has been charged.'),
      },
      { description: 'What was used, and its cost.' },
    ),
  },
  { description: 'The most relevant documents.' },
);

export const rerankSchemas = { RerankRequest: rerankRequestSchema, Ranking: ranking };

const minimal = {
  model: 'demo/rerank',
  query: 'What is the capital of France?',
  documents: ['Berlin is in Germany.', 'Paris is the capital of France.'],
};
const refusals = refusalsOfBodies(readRerank, {
  missing_parameter: { model: minimal.model, query: minimal.query },
  invalid_parameter: { ...minimal, documents: [] },
  unsupported_parameter: { ...minimal, web_search_options: {} },
});

export const rerankPaths = {
  '/v1/rerank': {
    post: describeOperation({
      id: 'createRanking',
      tag: 'Rerank',
      summary: 'Rank documents by their relevance to a query',
      description:
        "For models of the kind `rerank`. The request and the response have the form of Cohere's API, which clients of Jina's read too.",
      security: proxyKey,
      parameters: ['IdempotencyKey'],
      body: {
        schema: 'RerankRequest',
        examples: {
          texts: { summary: 'Texts', value: minimal },
          objects: {
            summary: 'The best of several objects, with it',
            value: {
              ...minimal,
              documents: minimal.documents.map((document, id) => ({ id, text: document })),
              top_n: 1,
              return_documents: true,
            },
          },
        },
      },
      response: {
        description: 'The documents, the most relevant first.',
        headers: paidHeaders,
        schema: 'Ranking',
        example: {
          id: '0d8a4d26-2a3c-4c58-9b0d-6f7f0f7d1c55',
          model: 'demo/rerank',
          results: [
            { index: 1, relevance_score: 0.83 },
            { index: 0, relevance_score: 0.17 },
          ],
          meta: { api_version: { version: '1' }, billed_units: { search_units: 1 } },
          usage: { prompt_tokens: 0, total_tokens: 0, cost: 0.001 },
        },
      },
      errors: [...inferenceErrors, ...refusals],
      errorForm: inferenceErrorForm,
    }),
  },
};
