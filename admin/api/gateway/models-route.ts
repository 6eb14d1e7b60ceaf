/**
 * GET /api/models: the price list as customers see it, without suppliers. The proxy's `GET /v1/models` has the same
 * prices per token, as OpenAI's clients expect them.
 */
import { Elysia } from 'elysia';
import { requireUser } from '../../auth/require-user.ts';
import { readRate } from '../../catalogue/exchange-rate/exchange-rate.ts';
import { PriceList } from '../../catalogue/price-list.ts';
import type { AdminServices } from '../../services.ts';
import { describe } from '../docs/describe.ts';
import { pricesLike } from '../fields/money.ts';
import { renderRubRate, rubRateExample } from '../fields/rub-rate.ts';
import { type modelSchema, modelsSchema } from './models-schemas.ts';
import { renderModel } from './render-model.ts';

const example: typeof modelSchema.static = {
  id: 'gpt-4o-mini',
  kind: 'chat',
  ownedBy: 'openai',
  contextTokens: 128_000,
  maxOutputTokens: 16_384,
  pricesSince: '2029-12-01T00:00:00.000Z',
  perMillionTokens: pricesLike({ prompt: '0.18', cachedPrompt: '0.09', completion: '0.72' }),
  perMillionTokensRub: pricesLike({ prompt: '14.62221', cachedPrompt: '7.311105', completion: '58.48884' }),
  perImage: [],
};

const docs = describe({
  id: 'listPrices',
  summary: 'Models and prices',
  description:
    'The price list: every model, with its limits and its prices in USD and roubles. A class of ' +
    'tokens without a price of its own has the price of the class that includes it.',
  tag: 'Gateway',
  security: 'accessToken',
  response: {
    status: 200,
    description: 'The price list.',
    schema: modelsSchema,
    example: { rubRate: rubRateExample, models: [example] } satisfies typeof modelsSchema.static,
  },
});

export function modelsRoute(services: AdminServices) {
  const { config, database } = services;
  const prices = new PriceList(database.db);
  return new Elysia().use(requireUser(services)).get(
    '/api/models',
    async (): Promise<typeof modelsSchema.static> => {
      const rate = await readRate(database.sql, config);
      const models = await prices.read();
      return { rubRate: renderRubRate(rate), models: models.map((model) => renderModel(model, rate.rubPerUsd)) };
    },
    docs,
  );
}
