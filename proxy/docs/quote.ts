/** POST /v1/quote in the document. */
import { Type } from '@sinclair/typebox';
import { quotePath } from '../quote-endpoint.ts';
import { askingErrors, inferenceErrorForm } from './error-codes.ts';
import { rateHeaders } from './headers.ts';
import { describeOperation } from './operation.ts';
import { count, ref, text, usd } from './schema-parts.ts';

const quote = Type.Object({
  object: Type.Literal('quote'),
  model: text('The model that was asked about.'),
  prompt_tokens_max: count('What the prompt can count for at most.'),
  max_tokens: count('The cap that would be granted, lowered for a small balance where the body sets none.'),
  max_cost: usd('What the request would cost at most, in USD. So much would be held.'),
  available: Type.Number({ description: 'What can be spent now, in USD.' }),
  held: usd('What running requests hold, in USD.'),
  affordable: Type.Boolean({ description: 'Whether the request would be accepted now.' }),
  affordable_max_tokens: count('The largest `max_tokens` that would be; 0 where none would.'),
  pricing: Type.Object({
    prompt: text('USD for a token of the prompt, as a decimal.'),
    completion: text('USD for a token of output, as a decimal.'),
  }),
});

export const quoteSchemas = {
  QuoteRequest: Type.Unsafe({
    description: 'The body of a request, as it would be sent to the endpoint that serves the model.',
    anyOf: [ref('ChatCompletionRequest'), ref('CompletionRequest'), ref('EmbeddingRequest')],
  }),
  Quote: quote,
};

export const quotePaths = {
  [quotePath]: {
    post: describeOperation({
      id: 'quote',
      tag: 'Quotes',
      summary: 'Say what a request would cost',
      description:
        'Holds nothing, charges nothing, and asks no provider. Counts as a request towards the limit of requests a minute.',
      key: 'bearer',
      body: {
        schema: 'QuoteRequest',
        examples: {
          chat: {
            summary: 'A chat completion',
            value: { model: 'demo/chat', messages: [{ role: 'user', content: 'Hello!' }], max_tokens: 1_000 },
          },
          embedding: { summary: 'An embedding', value: { model: 'demo/embedding', input: 'The quick brown fox' } },
        },
      },
      answer: {
        description: 'What it would cost at most, also where the balance is too small.',
        headers: rateHeaders,
        schema: 'Quote',
        example: {
          object: 'quote',
          model: 'demo/chat',
          prompt_tokens_max: 106,
          max_tokens: 1_000,
          max_cost: 0.0018636,
          available: 5,
          held: 0,
          affordable: true,
          affordable_max_tokens: 2_048,
          pricing: { prompt: '0.0000006', completion: '0.0000018' },
        },
      },
      errors: askingErrors,
      errorForm: inferenceErrorForm,
    }),
  },
};
