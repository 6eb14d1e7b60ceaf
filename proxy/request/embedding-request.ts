/** The body of an embeddings request (interface §4.1). Fields that are not named are passed on as they came. */
import { Type } from '@sinclair/typebox';
import { optional } from './optional.ts';
import { tokenIds } from './token-ids.ts';

const inputsMax = 2_048;
const several = { minItems: 1, maxItems: inputsMax };
const text = Type.String({ minLength: 1 });

export const embeddingRequestSchema = Type.Object({
  model: Type.String({ minLength: 1, description: 'the id of a model' }),
  input: Type.Union([text, Type.Array(text, several), tokenIds, Type.Array(tokenIds, several)], {
    description: `a string, an array of tokens, or an array of 1 to ${inputsMax} of either, none of them empty`,
  }),
  encoding_format: optional(
    Type.Union([Type.Literal('float'), Type.Literal('base64')], { description: 'float or base64' }),
  ),
  dimensions: optional(Type.Integer({ minimum: 1, description: 'an integer of at least 1' })),
  user: optional(Type.String({ description: 'a string' })),
});
