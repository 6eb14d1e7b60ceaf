/** The body of a request for ranking documents. */
import { Type } from '@sinclair/typebox';
import { modelId, optional } from '../../nouns/requests/fields.ts';
import { routingParameters } from '../../nouns/requests/routing.ts';

const documentsMax = 1_000;

const document = Type.Union([
  Type.String(),
  Type.Object(
    { text: Type.String({ description: 'What is ranked. `return_documents` returns the other members too.' }) },
    { additionalProperties: true },
  ),
]);

export const rerankRequestSchema = Type.Object(
  {
    model: modelId('The id of a rerank model, as listed by `GET /v1/models`.'),
    query: Type.String({
      minLength: 1,
      description: 'What is searched for.',
      expected: 'a string that is not empty',
    }),
    documents: Type.Array(document, {
      minItems: 1,
      maxItems: documentsMax,
      description: 'What is ranked: texts, or objects with a `text`.',
      expected: `an array of 1 to ${documentsMax} strings, or objects with a text`,
    }),
    top_n: optional(
      Type.Integer({
        minimum: 1,
        description: 'How many results are returned, the best first. All of them by default.',
      }),
    ),
    return_documents: optional(Type.Boolean({ description: 'Whether each result has its document. Default `false`.' })),
    max_tokens_per_doc: optional(
      Type.Integer({
        minimum: 1,
        description:
          'Longer documents are cut off after so many tokens; 4,096 by default. Only for models that Cohere serves.',
      }),
    ),
    ...routingParameters,
  },
  { description: 'A query, and what to rank by it.' },
);
