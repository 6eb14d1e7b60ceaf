/**
 * LiteLLM lists what images of each size and quality cost as entries of their own, such as `low/1024-x-1024/gpt-image-1`. They are
 * rows of one model here.
 */
import { isObject } from '../../../shared/members.ts';
import { anyValue, type ImagePrice } from '../../../shared/usage/image-prices.ts';
import type { Offer } from './offer.ts';
import { nameOf, priceOfImage } from './read-litellm.ts';

/** A provider may come before the quality. */
const variantEntry = /^(?:(.+)\/)?(\d{2,5})-x-(\d{2,5})\/([^/]+)$/;
const qualities: ReadonlySet<string> = new Set(['low', 'medium', 'high', 'standard', 'hd']);

export interface ImageEntry {
  readonly name: Offer['names'][number];
  readonly row: ImagePrice;
}

/** Undefined if the entry is a model, or has no price that can be compared. Throws UnreadableOffer. */
export function readImageEntry(entry: string, model: unknown): ImageEntry | undefined {
  const match = variantEntry.exec(entry.toLowerCase());
  if (match === null || !isObject(model)) return undefined;
  const [, before = '', width, height, ofModel = ''] = match;
  const price = priceOfImage(model);
  if (price === undefined) return undefined;
  const prefixes = before.split('/');
  const quality = prefixes.find((word) => qualities.has(word)) ?? anyValue;
  const [prefix = ''] = prefixes.filter((word) => word !== quality);
  const { provider } = nameOf(`${prefix}/${ofModel}`, model);
  return { name: { provider, model: ofModel }, row: { size: `${width}x${height}`, quality, price } };
}

export function isImageEntry(entry: string): boolean {
  return variantEntry.test(entry.toLowerCase());
}

/** The rows of each model, with its other prices where the list has an entry for it. */
export function withImageRows(offers: readonly Offer[], entries: readonly ImageEntry[]): Offer[] {
  const keyOf = ({ provider, model }: ImageEntry['name']) => `${provider} ${model}`;
  const rows = Map.groupBy(entries, ({ name }) => keyOf(name));
  const known = new Set(offers.flatMap(({ names }) => names.map(keyOf)));
  const alone = [...rows].flatMap(([key, [first]]) => (known.has(key) || first === undefined ? [] : [offerOf(first)]));
  return [...offers, ...alone].map((offer) => {
    const own = offer.names.flatMap((name) => rows.get(keyOf(name)) ?? []).map(({ row }) => row);
    return own.length === 0 ? offer : { ...offer, images: [...own, ...offer.images] };
  });
}

function offerOf({ name }: ImageEntry): Offer {
  return { entry: name.model, names: [name], kind: 'image', tokens: {}, rates: [], each: {}, images: [] };
}
