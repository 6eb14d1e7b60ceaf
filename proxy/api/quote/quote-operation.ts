/** POST /v1/quote in the OpenAPI document. */
import { Type } from '@sinclair/typebox';
import { describeOperation } from '../../../shared/openapi/describe-operation.ts';
import { chatRefusals } from '../chat-completions/chat-operation.ts';
import { inferenceErrorForm, walletErrors } from '../document/error-codes.ts';
import { rateHeaders } from '../document/headers.ts';
import { always, count, ref, text, usd } from '../document/schema-parts.ts';
import { proxyKey } from '../document/security.ts';
import { pricesEach } from '../models/models-operations.ts';
import { quotePath } from './quote-endpoint.ts';

const quote = Type.Object(
  {
    object: always('quote'),
    model: text('The model that the request is for.'),
    prompt_tokens_max: count('The most tokens that the prompt can have.'),
    max_tokens: count(
      'The limit on output tokens that would apply. If the body sets none, a small balance can lower it.',
    ),
    max_cost: usd('The maximum cost of the request, in USD. This much would be held while it runs.'),
    available: Type.Number({ description: 'What the account can spend now, in USD.' }),
    held: usd('What requests in flight hold, in USD. The unused part becomes available when they end.'),
    affordable: Type.Boolean({ description: 'Whether the balance covers the request now.' }),
    affordable_max_tokens: count(
      'The largest `max_tokens` that the balance covers now; 0 if it does not cover the prompt.',
    ),
    pricing: Type.Object(
      {
        prompt: text('USD per prompt token, as a decimal string.'),
        completion: text('USD per output token, as a decimal string.'),
        image: Type.Optional(
          text('USD per image of the size and quality that the body asks for, as a decimal string. Only for images.'),
        ),
        ...pricesEach('USD'),
      },
      { description: 'The prices that the quote is based on.' },
    ),
  },
  { description: 'The maximum cost of a request, and whether the balance covers it.' },
);

export const quoteSchemas = {
  QuoteRequest: Type.Unsafe({
    description: 'The body of a request, exactly as you would send it to its endpoint.',
    anyOf: [
      ref('ChatCompletionRequest'),
      ref('CompletionRequest'),
      ref('EmbeddingRequest'),
      ref('ImageRequest'),
      ref('SpeechRequest'),
      ref('ModerationRequest'),
    ],
  }),
  Quote: quote,
};

export const quotePaths = {
  [quotePath]: {
    post: describeOperation({
      id: 'quote',
      tag: 'Quotes',
      summary: 'Quote the maximum cost of a request',
      description:
        'Use it before an expensive request, or to choose `max_tokens`. Free: nothing is held and no provider is called. ' +
        'Counts towards the limit of requests per minute.',
      security: proxyKey,
      body: {
        schema: 'QuoteRequest',
        examples: {
          chat: {
            summary: 'A chat completion',
            value: { model: 'demo/chat', messages: [{ role: 'user', content: 'Hello!' }], max_tokens: 1_000 },
          },
          image: { summary: 'Images', value: { model: 'demo/image', prompt: 'A red square', n: 2 } },
          speech: { summary: 'Speech', value: { model: 'demo/speech', input: 'Hello, world.', voice: 'alloy' } },
          embedding: { summary: 'An embedding', value: { model: 'demo/embedding', input: 'The quick brown fox' } },
        },
      },
      response: {
        description: 'The quote, even if the balance does not cover the request.',
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
      errors: [...walletErrors, ...chatRefusals],
      errorForm: inferenceErrorForm,
    }),
  },
};
