/** GET /v1/models and /v1/models/{id} in the OpenAPI document. */
import { type TProperties, type TSchema, Type } from '@sinclair/typebox';
import { inputModalities, outputModalities } from '../../../shared/catalogue/modalities.ts';
import { modelKinds } from '../../../shared/catalogue/model-kinds.ts';
import { describeOperation } from '../../../shared/openapi/describe-operation.ts';
import { eachUnits, tokenUnits } from '../../../shared/usage/billable-units.ts';
import { serviceTiers } from '../../../shared/usage/rates.ts';
import { notLoadedYet } from '../../pricing/find-model.ts';
import { listedParameters } from '../../providers/supported-parameters.ts';
import { usualErrorForm } from '../document/error-codes.ts';
import { always, count, ref, text, words } from '../document/schema-parts.ts';
import type { ModelObject } from './model-list.ts';

const price = (of: string) => text(`USD per token of ${of}, as a decimal string.`, '0.0000006');
const roubles = (of: string, example?: string) =>
  text(`Roubles per 100,000 tokens of ${of}, as a decimal string.`, example);
const pricesOfImages = (currency: string) =>
  Type.Array(
    Type.Object({
      size: text('The size in pixels. `default` is any size without a row of its own, and the choice of the model.'),
      quality: text('The quality. `default` is any quality without a row of its own, and the choice of the model.'),
      price: text(`${currency} per image, as a decimal string.`),
    }),
    { description: 'What each image costs, by size and quality. Only models of the kind `image` have it.' },
  );

const parts = tokenUnits.filter(({ partOf }) => partOf !== undefined);
const pricesOfParts = Object.fromEntries(
  parts.map(({ priceColumn, priceOf }) => [priceColumn, Type.Optional(price(`${priceOf}, where it differs`))]),
);
const rubExamples: Readonly<Record<string, string>> = { cached_prompt: '2.7', cache_write: '6.75', reasoning: '21.6' };
const roublesOfParts = Object.fromEntries(
  parts.map(({ priceColumn, priceOf }) => [
    `${priceColumn}_per_100k`,
    Type.Optional(roubles(`${priceOf}, where it differs`, rubExamples[priceColumn])),
  ]),
);

export const pricesEach = (currency: string) =>
  Object.fromEntries(
    eachUnits.map(({ priceColumn, priceMeans }) => [
      priceColumn,
      Type.Optional(text(`${priceMeans} ${currency}, as a decimal string. Left out if there is none.`)),
    ]),
  );

const rates = (prices: TProperties) =>
  Type.Array(
    Type.Object({
      service_tier: words(
        serviceTiers,
        'The `service_tier` of the request: `default` is that of requests which name none, `batch` that of lines of batches.',
      ),
      above_prompt_tokens: count('The prompt has more tokens than this; 0 is any prompt.'),
      ...prices,
    }),
    {
      description:
        'Prices that replace these for long prompts, and for requests at another service tier. A whole request is priced by ' +
        'one of them: that of the tier at which it was served, and of the highest `above_prompt_tokens` that its prompt exceeds.',
    },
  );

const orUnknown = <Schema extends TSchema>(schema: Schema) =>
  Type.Union([schema, Type.Null()], { description: `${schema.description} Null if that is not known.` });

const providers = Type.Array(
  Type.Object({
    name: Type.Union([Type.String(), Type.Null()], {
      description: 'The name for `provider` of a request. Null for a provider that cannot be named.',
    }),
    country: orUnknown(text('The country of its servers, as an ISO 3166-1 code.', 'DE')),
    retention_days: orUnknown(count('For how many days it stores requests; 0 for not at all.')),
    trains_on_requests: orUnknown(Type.Boolean({ description: 'Whether it trains on requests.' })),
  }),
  { description: 'Who may serve the model. Left out if nothing is known of them.' },
);

const model = Type.Object(
  {
    id: text('The id to send as `model` in a request.', 'demo/chat'),
    object: always('model'),
    created: Type.Integer({ description: 'When the model was added, in seconds since 1970 (Unix time).' }),
    owned_by: text('The company that made the model.'),
    kind: words(
      modelKinds,
      'What the model does: `chat` models serve `/v1/chat/completions`, `/v1/responses` and `/v1/messages`, `completion` models ' +
        '`/v1/completions`, `embedding` models `/v1/embeddings`, `image` models `/v1/images/generations` and `/v1/images/edits`, `speech` models ' +
        '`/v1/audio/speech`, `transcription` models `/v1/audio/transcriptions` and `/v1/audio/translations`, `moderation` ' +
        'models `/v1/moderations`, `rerank` models `/v1/rerank`.',
    ),
    context_length: count('The most tokens that the prompt and the output can have together.'),
    max_output_tokens: count('The most tokens that the output can have.'),
    architecture: Type.Object(
      {
        input_modalities: Type.Array(words(inputModalities, 'A kind of input.'), {
          description:
            'What the model takes. Of a chat model, what the operator of the gateway says; `text` alone if nothing.',
        }),
        output_modalities: Type.Array(words(outputModalities, 'A kind of output.'), {
          description: 'What the model gives, as its `kind` says. Chat models with a price for it give `audio` too.',
        }),
      },
      { description: 'What the model takes and gives.' },
    ),
    supported_parameters: Type.Array(words(listedParameters, 'The name of a parameter.'), {
      description:
        'The parameters of chat completions and completions that have an effect with every provider of the model. Providers of the ' +
        'OpenAI-compatible protocol may know others, which are passed on. Empty for a model that generates no text.',
    }),
    expiration_date: Type.Union([Type.String(), Type.Null()], {
      description:
        'The day in UTC from which the model is no longer served, such as `2030-06-30`. Null if none is planned.',
    }),
    providers: Type.Optional(providers),
    pricing: Type.Object(
      {
        prompt: price('the prompt'),
        completion: price('the output'),
        ...pricesOfParts,
        images: Type.Optional(pricesOfImages('USD')),
        ...pricesEach('USD'),
        rates: Type.Optional(rates({ prompt: price('the prompt'), completion: price('the output'), ...pricesOfParts })),
      },
      { description: 'What you pay, in USD per token.' },
    ),
    pricing_rub: Type.Object(
      {
        prompt_per_100k: roubles('the prompt', '5.4'),
        completion_per_100k: roubles('the output', '16.2'),
        ...roublesOfParts,
        images: Type.Optional(pricesOfImages('Roubles')),
        ...pricesEach('Roubles'),
        rates: Type.Optional(
          rates({
            prompt_per_100k: roubles('the prompt'),
            completion_per_100k: roubles('the output'),
            ...roublesOfParts,
          }),
        ),
        currency: always('RUB'),
        rate: text('Roubles per US dollar, as a decimal string.', '90'),
        rate_date: Type.Union([Type.String(), Type.Null()], {
          description: 'The day of the rate; null for a configured rate.',
        }),
        rate_source: words(
          ['cbr', 'configured'],
          'The source of the rate: `cbr` is the Bank of Russia, `configured` the operator of the gateway.',
        ),
      },
      { description: 'The prices converted to roubles at `rate`. Charges are in USD.' },
    ),
  },
  { description: 'A model, with its limits and prices.' },
);

const example = {
  id: 'demo/chat',
  object: 'model',
  created: 1_893_456_000,
  owned_by: 'demo',
  kind: 'chat',
  context_length: 32_768,
  max_output_tokens: 2_048,
  architecture: { input_modalities: ['text'], output_modalities: ['text'] },
  supported_parameters: ['temperature', 'top_p', 'max_tokens', 'max_completion_tokens', 'stop'],
  expiration_date: null,
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
  ModelList: Type.Object(
    {
      object: always('list'),
      data: Type.Array(ref('Model'), { description: 'The available models.' }),
    },
    { description: 'The list of all models.' },
  ),
};

export const modelPaths = {
  '/v1/models': {
    get: describeOperation({
      id: 'listModels',
      tag: 'Models',
      summary: 'List models and their prices',
      description:
        'Needs no key. The prices are the ones that you pay. Models and prices can change at any time, so fetch the list ' +
        'regularly; `If-None-Match` makes that cheap.',
      security: [],
      parameters: ['IfNoneMatch'],
      response: {
        description: 'All models, with their prices.',
        headers: ['etag', 'cache-control', 'vary'],
        schema: 'ModelList',
        example: { object: 'list', data: [example] },
      },
      otherResponses: [
        {
          status: 304,
          description: 'The list has not changed since you read it.',
          headers: ['etag', 'cache-control', 'vary'],
        },
      ],
      errors: ['internal_error', notLoadedYet()],
      errorForm: usualErrorForm,
    }),
  },
  '/v1/models/{id}': {
    get: describeOperation({
      id: 'getModel',
      tag: 'Models',
      summary: 'Read one model',
      description: 'Needs no key. Use it to check that a model exists, or to read its limits and prices.',
      security: [],
      parameters: ['ModelId'],
      response: { description: 'The model, with its prices.', schema: 'Model', example },
      errors: ['model_not_found', 'internal_error', notLoadedYet()],
      errorForm: usualErrorForm,
    }),
  },
};
