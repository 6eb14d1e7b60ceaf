/**
 * The body of a text completion request (interface §4.1, and the parameters that OpenAI's legacy endpoint has beyond
 * it). Only what this gateway judges is named; every other field is passed on as it came.
 */
import { type Static, Type } from '@sinclair/typebox';
import { optional } from './optional.ts';
import { samplingParameters } from './sampling.ts';
import { tokenIds } from './token-ids.ts';

const promptsMax = 2_048;
const several = { minItems: 1, maxItems: promptsMax };

export const completionRequestSchema = Type.Object({
  model: Type.String({ minLength: 1, description: 'the id of a model' }),
  prompt: Type.Union([Type.String(), Type.Array(Type.String(), several), tokenIds, Type.Array(tokenIds, several)], {
    description: `a string, an array of tokens, or an array of 1 to ${promptsMax} of either`,
  }),
  ...samplingParameters,
  max_tokens: optional(Type.Integer({ minimum: 0, description: 'an integer of at least 0' })),
  best_of: optional(Type.Integer({ minimum: 1, maximum: 128, description: 'an integer from 1 to 128' })),
  echo: optional(Type.Boolean({ description: 'a boolean' })),
  logprobs: optional(Type.Integer({ minimum: 0, maximum: 5, description: 'an integer from 0 to 5' })),
  logit_bias: optional(Type.Record(Type.String(), Type.Unknown(), { description: 'an object' })),
  suffix: optional(Type.String({ description: 'a string' })),
});

export type CompletionRequest = Static<typeof completionRequestSchema>;
