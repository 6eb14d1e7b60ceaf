/** Reads a published price list, in whichever of the known forms it is. Entries that cannot be read are left out and named. */
import { GatewayError } from '../../../shared/errors.ts';
import { parseNumbersAsText } from '../../../shared/json-source.ts';
import { isObject } from '../../../shared/members.ts';
import { type ImageEntry, isImageEntry, readImageEntry, withImageRows } from './image-entries.ts';
import { type Offer, type PublishedList, type UnreadableEntry, UnreadableOffer } from './offer.ts';
import { readLitellmModel } from './read-litellm.ts';
import { readOpenrouterModel } from './read-openrouter.ts';

/** LiteLLM explains its fields in an entry of this name. */
const sampleEntry = 'sample_spec';

/** Throws GatewayError `invalid_price_list`. */
export function readPublishedList(text: string): PublishedList {
  const document = parse(text);
  if (!isObject(document)) throw notAPriceList('it is not a JSON object');
  const list = Array.isArray(document.data) ? readOpenrouter(document.data) : readLitellm(document);
  if (list.offers.length === 0) throw notAPriceList(list.unreadable[0]?.reason ?? 'it has no models');
  return list;
}

export function notAPriceList(reason: string): GatewayError {
  const message = `The price list is neither in OpenRouter's form nor in LiteLLM's: ${reason}.`;
  return new GatewayError('invalid_price_list', message, { param: 'list' });
}

function parse(text: string): unknown {
  try {
    return parseNumbersAsText(text);
  } catch {
    throw notAPriceList('it is not JSON');
  }
}

function readOpenrouter(models: readonly unknown[]): PublishedList {
  const unreadable: UnreadableEntry[] = [];
  const offers = models.flatMap((model, index) => {
    const entry = isObject(model) && typeof model.id === 'string' ? model.id : `data[${index}]`;
    return attempt(entry, unreadable, () => [readOpenrouterModel(model)]);
  });
  return { form: 'openrouter', offers, unreadable };
}

function readLitellm(document: Readonly<Record<string, unknown>>): PublishedList {
  const unreadable: UnreadableEntry[] = [];
  const images: ImageEntry[] = [];
  const offers = Object.entries(document).flatMap(([entry, model]): readonly Offer[] => {
    if (entry === sampleEntry) return [];
    return attempt(entry, unreadable, () => {
      if (!isImageEntry(entry)) return [readLitellmModel(entry, model)];
      const image = readImageEntry(entry, model);
      if (image !== undefined) images.push(image);
      return [];
    });
  });
  return { form: 'litellm', offers: withImageRows(offers.filter(isStated), images), unreadable };
}

/** Any JSON object would be a list of models about which nothing is said. */
function isStated(offer: Offer): boolean {
  const { tokens, each, images, kind, contextTokens } = offer;
  return (
    [tokens, each, images].some((prices) => Object.keys(prices).length > 0) || (kind ?? contextTokens) !== undefined
  );
}

function attempt(entry: string, unreadable: UnreadableEntry[], read: () => readonly Offer[]): readonly Offer[] {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof UnreadableOffer)) throw error;
    unreadable.push({ entry, reason: error.message });
    return [];
  }
}
