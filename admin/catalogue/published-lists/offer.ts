/**
 * A published price list as the comparison reads it, whatever its form: what it states of each model. What it does not state is
 * absent, and never compared.
 */
import type { InputModality } from '../../../shared/catalogue/modalities.ts';
import type { ModelKind } from '../../../shared/catalogue/model-kinds.ts';
import type { EachPrices } from '../../../shared/usage/each-prices.ts';
import type { ImagePrice } from '../../../shared/usage/image-prices.ts';
import type { RateCondition } from '../../../shared/usage/rates.ts';
import type { TokenPrices } from '../../../shared/usage/token-prices.ts';

export const listForms = ['openrouter', 'litellm'] as const;
export type ListForm = (typeof listForms)[number];

export interface PublishedList {
  readonly form: ListForm;
  readonly offers: readonly Offer[];
  /** Entries that were left out, with the reason. */
  readonly unreadable: readonly UnreadableEntry[];
}

export interface UnreadableEntry {
  readonly entry: string;
  readonly reason: string;
}

/** Of the provider, before any markup. */
export type StatedPrices = { readonly [Price in keyof TokenPrices]?: TokenPrices[Price] };

export interface StatedRate extends RateCondition {
  readonly prices: StatedPrices;
}

/** Who may be meant, and the model's name there. In lower case. */
export interface OfferName {
  readonly provider: string;
  readonly model: string;
}

export interface Offer {
  /** As the list names it. */
  readonly entry: string;
  readonly names: readonly OfferName[];
  /** Undefined if the list does not say it. */
  readonly kind: ModelKind | undefined;
  readonly tokens: StatedPrices;
  /** For long prompts and other service tiers. */
  readonly rates: readonly StatedRate[];
  readonly each: EachPrices;
  readonly images: readonly ImagePrice[];
  readonly contextTokens?: number;
  readonly maxOutputTokens?: number;
  readonly inputModalities?: readonly InputModality[];
  /** A day: `2030-06-30`. */
  readonly retiresAt?: string;
}

/** Nothing is wrong with the list as a whole, but with one of its entries. */
export class UnreadableOffer extends Error {
  override readonly name = 'UnreadableOffer';
}
