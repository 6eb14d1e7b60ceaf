/** The parameters that chat and text completions share, and their rules. */
import { Type } from '@sinclair/typebox';
import { boolean, integer, number, optional, string } from './fields.ts';

const penaltyRange = { minimum: -2, maximum: 2 };

export const samplingParameters = {
  temperature: optional(
    number(
      { minimum: 0, maximum: 2 },
      'How random the output is: low values make it focused and repeatable, high values more varied. Most models ' +
        'default to 1. Change this or `top_p`, not both.',
    ),
  ),
  top_p: optional(
    number(
      { minimum: 0, maximum: 1 },
      'Nucleus sampling: the model samples only from the most likely tokens whose probabilities add up to this value, ' +
        'so 0.1 means the top 10%. Most models default to 1.',
    ),
  ),
  frequency_penalty: optional(
    number(
      penaltyRange,
      'Above 0, tokens become less likely the more often they have appeared; below 0, more likely. Default 0.',
    ),
  ),
  presence_penalty: optional(
    number(
      penaltyRange,
      'Above 0, tokens that have appeared at all become less likely, which encourages new topics. Default 0.',
    ),
  ),
  stop: optional(
    Type.Union([Type.String(), Type.Array(Type.String(), { maxItems: 4 })], {
      description: 'Up to 4 sequences at which the model stops. The output does not include them.',
      expected: 'a string or an array of up to 4 strings',
    }),
  ),
  n: optional(
    integer(
      { minimum: 1, maximum: 128 },
      'How many choices to generate for each prompt. Default 1. You pay for the output of all of them.',
    ),
  ),
  seed: optional(
    Type.Integer({
      description: 'Requests with the same seed and parameters get the same output, on a best-effort basis.',
      expected: 'an integer',
    }),
  ),
  stream: optional(boolean('Whether to stream the output as server-sent events while it is generated. Default false.')),
  stream_options: optional(
    Type.Object(
      {
        include_usage: optional(
          boolean('Whether to send a last chunk with the token counts and the cost before `[DONE]`. Default false.'),
        ),
      },
      { description: 'Settings of the stream. Only with `stream: true`.', expected: 'an object' },
    ),
  ),
  user: optional(
    string('An identifier of your end user, passed on to the provider to detect abuse. Do not send personal data.'),
  ),
};

/** Undefined if all tokens are meant, for providers that have no number for that. */
export function topKOf({ top_k: topK }: { readonly top_k?: number | null | undefined }): number | undefined {
  return topK && topK > 0 ? topK : undefined;
}
