/** The body of an embeddings request (interface §4.1). Fields that are not named are passed on as they came. */
import { Type } from '@sinclair/typebox';
import { integer, modelId, string } from './fields.ts';
import { optional } from './optional.ts';
import { tokenIds } from './token-ids.ts';

const inputsMax = 2_048;
const several = { minItems: 1, maxItems: inputsMax };
const text = Type.String({ minLength: 1 });

export const embeddingRequestSchema = Type.Object(
  {
    model: modelId('The id of an embedding model, as listed by `GET /v1/models`.'),
    input: Type.Union([text, Type.Array(text, several), tokenIds, Type.Array(tokenIds, several)], {
      description:
        'The text to embed, or a list of texts, each of which gets its own vector. Token ids are accepted in place of a text.',
      expected: `a string, an array of tokens, or an array of 1 to ${inputsMax} of either, none of them empty`,
    }),
    encoding_format: optional(
      Type.Union([Type.Literal('float'), Type.Literal('base64')], {
        description:
          'How vectors are written: `float` as a list of numbers, `base64` as little-endian 32-bit floats in base64, which is ' +
          'shorter. Default `float`.',
        expected: 'float or base64',
      }),
    ),
    dimensions: optional(
      integer(
        { minimum: 1 },
        "The length of the vectors, for models that offer several. Default: the model's own length.",
      ),
    ),
    user: optional(
      string(
        'An identifier of your end user, passed on to the provider for its abuse detection. Send no personal data.',
      ),
    ),
  },
  { description: 'Texts to turn into vectors.' },
);
