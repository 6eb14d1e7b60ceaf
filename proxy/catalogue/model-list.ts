/** GET /v1/models and /v1/models/{id}: the models with their prices (interface §2.6). */
import { formatPricePerToken, formatRubPer100kTokens, type RubPerUsd } from '../../shared/money.ts';
import type { Catalogue, Model } from './catalogue.ts';

export interface ModelObject {
  readonly id: string;
  readonly object: 'model';
  readonly created: number;
  readonly owned_by: string;
  readonly pricing: { readonly prompt: string; readonly completion: string };
  readonly pricing_rub: {
    readonly prompt_per_100k: string;
    readonly completion_per_100k: string;
    readonly currency: 'RUB';
  };
}

export function listModels(catalogue: Catalogue): { object: 'list'; data: ModelObject[] } {
  return {
    object: 'list',
    data: [...catalogue.models.values()].map((model) => describeModel(model, catalogue.rubPerUsd)),
  };
}

export function describeModel(model: Model, rubPerUsd: RubPerUsd): ModelObject {
  const { prompt, completion } = model.prices;
  return {
    id: model.id,
    object: 'model',
    created: model.createdAt,
    owned_by: model.ownedBy,
    pricing: { prompt: formatPricePerToken(prompt), completion: formatPricePerToken(completion) },
    pricing_rub: {
      prompt_per_100k: formatRubPer100kTokens(prompt, rubPerUsd),
      completion_per_100k: formatRubPer100kTokens(completion, rubPerUsd),
      currency: 'RUB',
    },
  };
}
