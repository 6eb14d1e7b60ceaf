/**
 * GET /api/models: the price list as customers see it, without suppliers. The proxy's `GET /v1/models` has the same
 * prices per token, as OpenAI's clients expect them.
 */
import { Elysia } from 'elysia';
import { authorized } from '../../auth/authorize.ts';
import { readRate } from '../../catalogue/exchange-rate/exchange-rate.ts';
import { PriceList } from '../../catalogue/price-list.ts';
import type { AdminServices } from '../../services.ts';
import { describe } from '../docs/describe.ts';
import { renderRubRate } from '../fields/rub-rate.ts';
import { modelsSchema } from './models-schemas.ts';
import { renderModel } from './render-model.ts';

const docs = describe({
  id: 'listPrices',
  permission: 'models:read',
  summary: 'Models and prices',
  description:
    'The price list: every model that is served, with its limits and its prices in USD and roubles. A class of ' +
    'tokens without a price of its own has the price of the class that includes it.',
  tag: 'Gateway',
  response: { description: 'The price list.', schema: modelsSchema },
});

export function modelsRoute(services: AdminServices) {
  const { config, database } = services;
  const prices = new PriceList(database.db);
  return new Elysia().use(authorized(services)).get(
    '/api/models',
    async (): Promise<typeof modelsSchema.static> => {
      const rate = await readRate(database.sql, config);
      const today = new Date().toISOString().slice(0, 10);
      const models = (await prices.read()).filter(({ retiresAt }) => retiresAt === null || retiresAt > today);
      return { rubRate: renderRubRate(rate), models: models.map((model) => renderModel(model, rate.rubPerUsd)) };
    },
    docs,
  );
}
