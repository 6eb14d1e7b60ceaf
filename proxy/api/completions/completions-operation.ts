/** POST /v1/completions in the OpenAPI document. */
import { type TSchema, Type } from '@sinclair/typebox';
import { describeOperation } from '../../../shared/openapi/describe-operation.ts';
import { inferenceErrorForm, inferenceErrors } from '../document/error-codes.ts';
import { refusalsOfBodies } from '../document/error-examples.ts';
import { repeatableHeaders } from '../document/headers.ts';
import { always, anything, orNull, ref, text, unixTime, words } from '../document/schema-parts.ts';
import { proxyKey } from '../document/security.ts';
import { usageExample } from '../document/usage-schemas.ts';
import { completionRequestSchema } from './completion-request.ts';
import { readCompletion } from './completions.ts';

const finishReason = words(
  ['stop', 'length', 'content_filter'],
  'Why the model stopped: `stop` for a natural end or a stop sequence, `length` for the token limit, ' +
    '`content_filter` if the provider withheld the rest.',
);
const choice = (finish: TSchema) =>
  Type.Object({
    index: Type.Integer({ description: 'The index of the continuation, from 0, across all prompts.' }),
    text: text('The continuation; in a stream, its next chunk.'),
    finish_reason: finish,
    logprobs: Type.Optional(
      orNull(
        anything('Tokens with their log probabilities.'),
        'Log probabilities; null unless `logprobs` asks for them.',
      ),
    ),
  });
const head = {
  id: text('The id of the completion. All chunks of a stream have the same id.'),
  object: always('text_completion'),
  created: unixTime,
  model: text('The model that you requested.'),
  system_fingerprint: Type.Optional(
    orNull(Type.String(), "Identifies the provider's backend configuration. `seed` depends on it."),
  ),
};

const completion = Type.Object(
  {
    ...head,
    choices: Type.Array(choice(finishReason), { description: 'The continuations: `n` for each prompt.' }),
    usage: ref('Usage'),
  },
  { description: 'A text completion.' },
);

const completionChunk = Type.Object(
  {
    ...head,
    choices: Type.Array(choice(orNull(finishReason, 'Why the model stopped; null until the last chunk.')), {
      description: 'What was generated since the previous chunk. Empty in the chunk with the usage.',
    }),
    usage: Type.Optional(
      orNull(ref('Usage'), 'Tokens and cost, in the last chunk if `stream_options.include_usage` is true.'),
    ),
  },
  { description: 'The data of one event of a streamed text completion.' },
);

const headExample = { id: 'cmpl-7Qx2', object: 'text_completion', created: 1_893_456_000, model: 'demo/completion' };
const choiceExample = { index: 0, text: ' there was a ledger.', finish_reason: 'stop', logprobs: null };
const chunk = (choices: object[], usage: object | null) =>
  `data: ${JSON.stringify({ ...headExample, choices, usage })}\n\n`;

export const completionSchemas = {
  CompletionRequest: completionRequestSchema,
  Completion: completion,
  CompletionChunk: completionChunk,
};

const validBody = { model: 'demo/completion', prompt: 'Once upon a time' };
const refusals = refusalsOfBodies(readCompletion, {
  missing_parameter: { model: validBody.model },
  invalid_parameter: { ...validBody, n: 2, best_of: 1 },
  unsupported_parameter: { ...validBody, service_tier: 'scale' },
});

export const completionPaths = {
  '/v1/completions': {
    post: describeOperation({
      id: 'createCompletion',
      tag: 'Completions',
      summary: 'Continue a text',
      description:
        'For models of kind `completion`, which continue a text instead of a conversation. For chat models use ' +
        '`/v1/chat/completions`. Holds and charges work the same way.',
      security: proxyKey,
      parameters: ['IdempotencyKey', 'Cache'],
      body: {
        schema: 'CompletionRequest',
        examples: {
          short: {
            summary: 'A text to continue',
            value: { model: 'demo/completion', prompt: 'Once upon a time', max_tokens: 50 },
          },
        },
      },
      response: {
        description: 'The continuations, or a stream of events with `stream: true`.',
        headers: repeatableHeaders,
        schema: 'Completion',
        example: { ...headExample, choices: [choiceExample], usage: usageExample },
        stream: {
          schema: 'CompletionChunk',
          description: 'Each event is `data:` with a chunk as JSON; the last one is `data: [DONE]`.',
          example: `${chunk([choiceExample], null)}${chunk([], usageExample)}data: [DONE]\n\n`,
        },
      },
      errors: [...inferenceErrors, ...refusals],
      errorForm: inferenceErrorForm,
    }),
  },
};
