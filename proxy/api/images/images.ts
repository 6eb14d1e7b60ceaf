/** POST /v1/images/generations: images of what a text describes. */
import { checkValue } from '../../../shared/http/check-value.ts';
import { unsupportedParameter } from '../../../shared/http/parameter-errors.ts';
import { anyValue } from '../../../shared/usage/image-prices.ts';
import type { ImageCall } from '../../nouns/call.ts';
import { refuseUnpriced } from '../../nouns/requests/unpriced-parameters.ts';
import { imageRequestSchema } from './image-request.ts';

/** Throws GatewayError `missing_parameter`, `invalid_parameter` or `unsupported_parameter`. */
export function readImages(value: object, text: string): ImageCall {
  const body = checkValue(imageRequestSchema, value);
  refuseUnpriced(body);
  refuseStream(value);
  const n = body.n ?? 1;
  return {
    kind: 'image',
    model: body.model,
    stream: false,
    n,
    text,
    body,
    bytes: Buffer.byteLength(text),
    mediaParts: 0,
    promptTexts: [body.prompt],
    variant: { size: chosen(body.size), quality: chosen(body.quality) },
  };
}

/** Images that are shown before they are finished are billed on their own. */
function refuseStream({ stream, partial_images: partial }: { stream?: unknown; partial_images?: unknown }): void {
  if ((stream ?? false) !== false) {
    throw unsupportedParameter('stream', "'stream' is not supported: images are returned when they are finished.");
  }
  if ((partial ?? 0) !== 0) {
    throw unsupportedParameter('partial_images', "'partial_images' is not supported: images are not streamed.");
  }
}

/** What the model chooses itself has the price of any. */
function chosen(value: string | null | undefined): string {
  return value === null || value === undefined || value === 'auto' ? anyValue : value;
}
