/**
 * The body of a text completion request (and the parameters that OpenAI's legacy endpoint has beyond
 * it). It names only the members that the gateway checks; all others are passed on unchanged.
 */
import { type Static, Type } from '@sinclair/typebox';
import { boolean, integer, modelId, object, optional, string } from '../../nouns/requests/fields.ts';
import { routingParameters } from '../../nouns/requests/routing.ts';
import { samplingParameters } from '../../nouns/requests/sampling.ts';
import { tokenIds } from '../../nouns/requests/token-ids.ts';

const promptsMax = 2_048;
const several = { minItems: 1, maxItems: promptsMax };

export const completionRequestSchema = Type.Object(
  {
    model: modelId('The id of a completion model, as listed by `GET /v1/models`.'),
    prompt: Type.Union([Type.String(), Type.Array(Type.String(), several), tokenIds, Type.Array(tokenIds, several)], {
      description:
        'The text to continue, or a list of texts that each get their own continuations. Token ids are accepted in place ' +
        'of text.',
      expected: `a string, an array of tokens, or an array of 1 to ${promptsMax} of either`,
    }),
    ...samplingParameters,
    max_tokens: optional(
      integer(
        { minimum: 0 },
        'The most tokens to generate for each continuation. Their price is held while the request runs; you pay for the ' +
          "tokens that are generated. Default: the model's own limit, or less if the balance covers less.",
      ),
    ),
    best_of: optional(
      integer(
        { minimum: 1, maximum: 128 },
        'How many continuations to generate, of which the best `n` are returned. You pay for all of them.',
      ),
    ),
    echo: optional(boolean('Whether to repeat the prompt at the beginning of the continuation. Default false.')),
    logprobs: optional(
      integer(
        { minimum: 0, maximum: 5 },
        'How many of the most likely tokens to list at each position, with their log probabilities. Default: none.',
      ),
    ),
    logit_bias: optional(
      object(
        "Token ids of the model's tokenizer, each with a bias from -100 to 100: positive makes it more likely, -100 bans it.",
      ),
    ),
    suffix: optional(string('The text that follows the continuation, for models that fill a gap.')),
    ...routingParameters,
  },
  { description: 'A text, and how the model should continue it.' },
);

export type CompletionRequest = Static<typeof completionRequestSchema>;
