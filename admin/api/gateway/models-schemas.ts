/** A model of the price list. */
import { Type } from '@sinclair/typebox';
import { modelKinds } from '../../../shared/catalogue/model-kinds.ts';
import { model } from '../fields/example-values.ts';
import { eachUnit, pricesLike, pricesPerMillion, rateFields, variantFields } from '../fields/money.ts';
import { rubRateSchema } from '../fields/rub-rate.ts';
import { count, flag, nullable, oneOf, text, timestamp } from '../fields/schemas.ts';

/** `listedPrices` at 81.2345, the example of the rate. */
const pricesInRub = pricesLike({ prompt: '14.62221', cachedPrompt: '7.311105', completion: '58.48884' });

export const modelSchema = Type.Object(
  {
    id: text('The id to send as `model` in a request.', model),
    kind: oneOf(modelKinds, 'What the model does.'),
    ownedBy: text('The company that made the model.', 'openai'),
    contextTokens: count('The most tokens that the prompt and the output can have together.', 128_000),
    maxOutputTokens: count('The most tokens that the output can have; 0 for models whose output is not text.', 16_384),
    retiresAt: nullable(
      text('The day in UTC from which it is no longer served; null if none is planned.', '2030-06-30'),
    ),
    pricesSince: timestamp('When these prices took effect.', '2029-12-01T00:00:00.000Z'),
    perMillionTokens: pricesPerMillion('What you pay.'),
    perMillionTokensRub: pricesPerMillion('The same at `rubRate`.', { currency: 'RUB', example: pricesInRub }),
    perImage: Type.Array(
      Type.Object({
        ...variantFields,
        price: text('The price of an image, in USD.'),
        priceRub: text('The same in RUB, at `rubRate`.'),
      }),
      { description: 'What you pay per image, as decimal strings. Empty if the model generates none.', example: [] },
    ),
    perUnit: Type.Array(
      Type.Object({
        unit: eachUnit,
        price: text('The price of one, in USD.'),
        priceRub: text('The same in RUB, at `rubRate`.'),
      }),
      {
        description: 'What you pay for what is counted one by one, as decimal strings. Empty if there is nothing.',
        example: [],
      },
    ),
    providers: Type.Array(
      Type.Object({
        name: nullable(text('By which requests and data policies name it; null if it cannot be named.', 'azure')),
        country: nullable(text('The country of its servers, as an ISO 3166-1 code; null if that is not known.', 'DE')),
        retentionDays: nullable(count('For how many days it stores requests; 0 for not at all, null if not known.', 0)),
        trainsOnRequests: nullable(flag('Whether it trains on requests; null if that is not known.', false)),
      }),
      { description: 'Who may serve it. Empty if nothing is known of them. What is not known meets no demand.' },
    ),
    rates: Type.Array(
      Type.Object({
        ...rateFields,
        perMillionTokens: pricesPerMillion('What you pay.'),
        perMillionTokensRub: pricesPerMillion('The same at `rubRate`.', { currency: 'RUB', example: pricesInRub }),
      }),
      {
        description:
          'Prices that replace those of `perMillionTokens`: for long prompts, and for requests at another service tier. A whole ' +
          'request is priced by one of them. Empty if there are none.',
        example: [],
      },
    ),
  },
  { title: 'Model' },
);

export const modelsSchema = Type.Object(
  {
    rubRate: rubRateSchema('The exchange rate behind the prices in roubles. Charges are in USD.'),
    models: Type.Array(modelSchema, { description: 'All models, in the order of the catalogue.' }),
  },
  { title: 'ModelList' },
);
