/** POST /v1/completions in the document. */
import { type TSchema, Type } from '@sinclair/typebox';
import { completionRequestSchema } from '../request/completion-request.ts';
import { inferenceErrorForm, inferenceErrors } from './error-codes.ts';
import { withNotes } from './field-notes.ts';
import { paidHeaders } from './headers.ts';
import { describeOperation } from './operation.ts';
import { anything, orNull, ref, text, unixTime, words } from './schema-parts.ts';
import { usageExample } from './usage.ts';

const request = withNotes(completionRequestSchema, {
  model: 'The id of a completion model of `GET /v1/models`.',
  prompt: 'The text to continue, or several; each is answered `n` times.',
  temperature: 'How freely the model chooses its words; 1 where nothing is said. Change this or `top_p`, not both.',
  top_p: 'The share of probability that words are chosen from; 1 where nothing is said.',
  frequency_penalty: 'Above 0, words that came often come less.',
  presence_penalty: 'Above 0, words that came once come less.',
  stop: 'Up to 4 texts where the answer ends. They are not part of it.',
  n: 'How many continuations of each prompt; each is paid for. 1 where nothing is said.',
  seed: 'For answers that can be repeated, as far as the provider can.',
  stream: 'Whether the answer comes as server-sent events.',
  stream_options: '`include_usage` asks for a last chunk with the usage and the cost.',
  user: 'Your own name for whoever asks. It is passed on to the provider.',
  max_tokens: "Tokens to generate at most. Where nothing is said, the model's own limit, or what the balance covers.",
  best_of: 'How many are generated, of which `n` are given out; all are paid for.',
  echo: 'Whether the answer begins with the prompt.',
  logprobs: 'How many likely tokens are told at each place.',
  logit_bias: 'Token ids, and how much more or less they are to come.',
  suffix: 'The text that comes behind what is generated.',
});

const finishReason = words(['stop', 'length', 'content_filter'], '`length` is a cap that was reached.');
const choice = (finish: TSchema) =>
  Type.Object({
    index: Type.Integer(),
    text: text('The continuation, or its next piece.'),
    finish_reason: finish,
    logprobs: Type.Optional(orNull(anything('Probabilities, where they were asked for.'), 'Probabilities.')),
  });
const head = {
  id: text('The id of the completion.'),
  object: Type.Literal('text_completion'),
  created: unixTime,
  model: text('The model that was asked, by the id that the request has.'),
  system_fingerprint: Type.Optional(orNull(Type.String(), "The provider's configuration.")),
};

const completion = Type.Object({
  ...head,
  choices: Type.Array(choice(finishReason)),
  usage: ref('Usage'),
});

const completionChunk = Type.Object(
  {
    ...head,
    choices: Type.Array(choice(orNull(finishReason, 'Null until the last chunk of the choice.'))),
    usage: Type.Optional(orNull(ref('Usage'), 'In the last chunk, where `include_usage` asked for it.')),
  },
  { description: 'The data of an event of a streamed text completion.' },
);

const headExample = { id: 'cmpl-7Qx2', object: 'text_completion', created: 1_893_456_000, model: 'demo/completion' };
const choiceExample = { index: 0, text: ' there was a ledger.', finish_reason: 'stop', logprobs: null };
const chunk = (choices: object[], usage: object | null) =>
  `data: ${JSON.stringify({ ...headExample, choices, usage })}\n\n`;

export const completionSchemas = {
  CompletionRequest: request,
  Completion: completion,
  CompletionChunk: completionChunk,
};

export const completionPaths = {
  '/v1/completions': {
    post: describeOperation({
      id: 'createCompletion',
      tag: 'Completions',
      summary: 'Continue a text',
      description: 'For models of the kind `completion`.',
      key: 'bearer',
      parameters: ['IdempotencyKey'],
      body: {
        schema: 'CompletionRequest',
        examples: {
          short: {
            summary: 'A text to continue',
            value: { model: 'demo/completion', prompt: 'Once upon a time', max_tokens: 50 },
          },
        },
      },
      answer: {
        description: 'The continuation; with `stream`, as server-sent events.',
        headers: paidHeaders,
        schema: 'Completion',
        example: { ...headExample, choices: [choiceExample], usage: usageExample },
        stream: {
          schema: 'CompletionChunk',
          description: 'Each event is `data:` with a chunk; the last one is `data: [DONE]`.',
          example: `${chunk([choiceExample], null)}${chunk([], usageExample)}data: [DONE]\n\n`,
        },
      },
      errors: inferenceErrors,
      errorForm: inferenceErrorForm,
    }),
  },
};
