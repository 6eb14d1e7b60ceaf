/** The parameters that chat and text completions share, and their rules (interface §4.1). */
import { Type } from '@sinclair/typebox';
import { optional } from './optional.ts';

const penalty = Type.Number({ minimum: -2, maximum: 2, description: 'a number from -2 to 2' });

export const samplingParameters = {
  temperature: optional(Type.Number({ minimum: 0, maximum: 2, description: 'a number from 0 to 2' })),
  top_p: optional(Type.Number({ minimum: 0, maximum: 1, description: 'a number from 0 to 1' })),
  frequency_penalty: optional(penalty),
  presence_penalty: optional(penalty),
  stop: optional(
    Type.Union([Type.String(), Type.Array(Type.String(), { maxItems: 4 })], {
      description: 'a string or an array of up to 4 strings',
    }),
  ),
  n: optional(Type.Integer({ minimum: 1, maximum: 128, description: 'an integer from 1 to 128' })),
  seed: optional(Type.Integer({ description: 'an integer' })),
  stream: optional(Type.Boolean({ description: 'a boolean' })),
  stream_options: optional(
    Type.Object({ include_usage: optional(Type.Boolean({ description: 'a boolean' })) }, { description: 'an object' }),
  ),
  user: optional(Type.String({ description: 'a string' })),
};
