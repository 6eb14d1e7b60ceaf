/** GET /v1/models and /v1/models/{id} in the document. */
import { Type } from '@sinclair/typebox';
import type { ModelObject } from '../catalogue/model-list.ts';
import { describeOperation, referToHeaders } from './operation.ts';
import { count, ref, text, unixTime, words } from './schema-parts.ts';

const price = (of: string) => text(`USD for a token of ${of}, as a decimal.`, '0.0000006');
const roubles = (of: string, example: string) => text(`Roubles for 100,000 tokens of ${of}, as a decimal.`, example);
const cachedPrompt = "the prompt that was read from the provider's cache, where it differs";
const cacheWrite = "the prompt that was written to the provider's cache, where it differs";
const thoughts = 'thoughts, where it differs';

const model = Type.Object({
  id: text('What goes into `model` of a request.', 'demo/chat'),
  object: Type.Literal('model'),
  created: unixTime,
  owned_by: text('Who has made the model.'),
  kind: words(['chat', 'completion', 'embedding'], 'Which endpoint it is for.'),
  context_length: count('Tokens of prompt and output together, at most.'),
  max_output_tokens: count('Tokens of output at most.'),
  pricing: Type.Object({
    prompt: price('the prompt'),
    completion: price('the output'),
    cached_prompt: Type.Optional(price(cachedPrompt)),
    cache_write: Type.Optional(price(cacheWrite)),
    reasoning: Type.Optional(price(thoughts)),
  }),
  pricing_rub: Type.Object(
    {
      prompt_per_100k: roubles('the prompt', '5.4'),
      completion_per_100k: roubles('output', '16.2'),
      cached_prompt_per_100k: Type.Optional(roubles(cachedPrompt, '2.7')),
      cache_write_per_100k: Type.Optional(roubles(cacheWrite, '6.75')),
      reasoning_per_100k: Type.Optional(roubles(thoughts, '21.6')),
      currency: Type.Literal('RUB'),
      rate: text('Roubles for a dollar, as a decimal.', '90'),
      rate_date: Type.Union([Type.String(), Type.Null()], {
        description: 'The day of the rate; null for a configured one.',
      }),
      rate_source: words(['cbr', 'configured'], 'The Bank of Russia, or the configuration of the gateway.'),
    },
    { description: 'At the rate of the day.' },
  ),
});

const example = {
  id: 'demo/chat',
  object: 'model',
  created: 1_893_456_000,
  owned_by: 'demo',
  kind: 'chat',
  context_length: 32_768,
  max_output_tokens: 2_048,
  pricing: { prompt: '0.0000006', completion: '0.0000018' },
  pricing_rub: {
    prompt_per_100k: '5.4',
    completion_per_100k: '16.2',
    currency: 'RUB',
    rate: '90',
    rate_date: '2030-01-01',
    rate_source: 'cbr',
  },
} satisfies ModelObject;

export const modelSchemas = {
  Model: model,
  ModelList: Type.Object({ object: Type.Literal('list'), data: Type.Array(ref('Model')) }),
};

export const modelPaths = {
  '/v1/models': {
    get: describeOperation({
      id: 'listModels',
      tag: 'Models',
      summary: 'List models and their prices',
      description: 'Prices are what is charged. The list changes while the gateway runs.',
      key: 'none',
      parameters: ['IfNoneMatch'],
      answer: {
        description: 'All models.',
        headers: ['etag', 'cache-control', 'vary'],
        schema: 'ModelList',
        example: { object: 'list', data: [example] },
      },
      otherAnswers: {
        '304': {
          description: 'The list is the one that you have.',
          headers: referToHeaders(['x-request-id', 'etag', 'cache-control', 'vary']),
        },
      },
      errors: ['internal_error', 'no_healthy_deployment'],
    }),
  },
  '/v1/models/{id}': {
    get: describeOperation({
      id: 'getModel',
      tag: 'Models',
      summary: 'Read one model',
      key: 'none',
      parameters: ['ModelId'],
      answer: { description: 'The model.', schema: 'Model', example },
      errors: ['model_not_found', 'internal_error', 'no_healthy_deployment'],
    }),
  },
};
