/** The body of an embeddings request. Other members are passed on unchanged. */
import { Type } from '@sinclair/typebox';
import { integer, modelId, optional, string } from '../../nouns/requests/fields.ts';
import { routingParameters } from '../../nouns/requests/routing.ts';
import { tokenIds } from '../../nouns/requests/token-ids.ts';

const inputsMax = 2_048;
const several = { minItems: 1, maxItems: inputsMax };
const text = Type.String({ minLength: 1 });

export const embeddingRequestSchema = Type.Object(
  {
    model: modelId('The id of an embedding model, as listed by `GET /v1/models`.'),
    input: Type.Union([text, Type.Array(text, several), tokenIds, Type.Array(tokenIds, several)], {
      description:
        'The text to embed, or a list of texts that each get their own vector. Token ids are accepted in place of text.',
      expected: `a string, an array of tokens, or an array of 1 to ${inputsMax} of either, none of them empty`,
    }),
    encoding_format: optional(
      Type.Union([Type.Literal('float'), Type.Literal('base64')], {
        description:
          'The format of the vectors: `float` is a list of numbers, `base64` is little-endian 32-bit floats in base64, which ' +
          'is shorter. Default `float`.',
        expected: 'float or base64',
      }),
    ),
    dimensions: optional(
      integer({ minimum: 1 }, "The number of dimensions, for models that offer several. Default: the model's own."),
    ),
    user: optional(
      string('An identifier of your end user, passed on to the provider to detect abuse. Do not send personal data.'),
    ),
    ...routingParameters,
  },
  { description: 'Texts to turn into vectors.' },
);
