/** The prices that apply to one request: a model that makes images has one for each size and quality. */
import { GatewayError } from '../../shared/errors.ts';
import { anyValue, findImagePrice, formatVariant, type ImageVariant } from '../../shared/usage/image-prices.ts';
import type { Call } from '../nouns/call.ts';
import type { Model } from './catalogue.ts';

/** The model with the price of the requested image. Throws GatewayError `invalid_parameter` where it has none. */
export function pricedFor(model: Model, { image: variant }: Call): Model {
  if (variant === undefined) return model;
  const { imagePrices = [] } = model;
  const image = findImagePrice(imagePrices, variant);
  if (image === undefined) throw withoutPrice(model, variant);
  return { ...model, prices: { ...model.prices, image } };
}

function withoutPrice({ id, imagePrices = [] }: Model, variant: ImageVariant): GatewayError {
  const hasSize = imagePrices.some(({ size }) => size === variant.size || size === anyValue);
  const offered = imagePrices.map(formatVariant).join(', ') || 'none';
  return new GatewayError(
    'invalid_parameter',
    `'${id}' has no price for images of ${formatVariant(variant)} (size/quality). It has: ${offered}.`,
    { param: hasSize ? 'quality' : 'size' },
  );
}
