/** Which models the list shows, and in which order. */
import { compareDecimals } from '../app/money/decimal.ts';
import type { Estimate, Model, ModelKind } from './model.ts';

/** The catalogue's own order is that without a choice. */
export const sortings = ['name', 'prompt', 'completion', 'cost', 'context', 'newest'] as const;
export type Sorting = (typeof sortings)[number];

export interface Selection {
  readonly q?: string;
  readonly kind?: ModelKind;
  readonly owner?: string;
  readonly sort?: Sorting;
}

/** A model with what the workload of the calculator costs. */
export interface PricedModel {
  readonly model: Model;
  readonly estimate: Estimate | undefined;
}

/** A model is found if its id or owner has every word of the search. */
export function selectModels(priced: readonly PricedModel[], selection: Selection): readonly PricedModel[] {
  const { q = '', kind, owner, sort } = selection;
  const words = q.toLowerCase().split(/\s+/);
  const found = priced.filter(({ model }) => {
    if (kind !== undefined && model.kind !== kind) return false;
    if (owner !== undefined && model.ownedBy !== owner) return false;
    const text = `${model.id} ${model.ownedBy}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  return sort === undefined ? found : found.sort(comparisons[sort]);
}

const byPrice = (name: 'prompt' | 'completion') => (one: PricedModel, other: PricedModel) =>
  compareTokenPriced(one, other) ||
  compareDecimals(one.model.perMillionTokens[name], other.model.perMillionTokens[name]);

const comparisons: Readonly<Record<Sorting, (one: PricedModel, other: PricedModel) => number>> = {
  name: (one, other) => one.model.id.localeCompare(other.model.id, 'en', { numeric: true }),
  prompt: byPrice('prompt'),
  completion: byPrice('completion'),
  cost: (one, other) =>
    compareTokenPriced(one, other) || compareDecimals(one.estimate?.perMonth ?? '0', other.estimate?.perMonth ?? '0'),
  context: (one, other) => other.model.contextTokens - one.model.contextTokens,
  newest: (one, other) => Date.parse(other.model.pricesSince) - Date.parse(one.model.pricesSince),
};

/** Models that are paid per image come last where prices of tokens are compared. */
function compareTokenPriced(one: PricedModel, other: PricedModel): number {
  return Number(one.estimate === undefined) - Number(other.estimate === undefined);
}
