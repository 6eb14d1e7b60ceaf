/** POST /v1/images/generations: images of what a text describes; and /v1/images/edits: images made from others. */
import type { Static } from '@sinclair/typebox';
import { checkValue } from '../../../shared/http/check-value.ts';
import type { Form, FormFile } from '../../../shared/http/intake/form.ts';
import { invalidParameter, missingParameter, unsupportedParameter } from '../../../shared/http/parameter-errors.ts';
import { anyValue } from '../../../shared/usage/image-prices.ts';
import type { EditedImages, ImageCall, UploadedFile } from '../../nouns/call.ts';
import type { JsonRecord } from '../../nouns/json/record.ts';
import type { FormFormat } from '../../nouns/requests/form-value.ts';
import { refuseUnpriced } from '../../nouns/requests/unpriced-parameters.ts';
import { editFieldsSchema, imageRequestSchema } from './image-request.ts';

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
    edited: undefined,
  };
}

const mebibyte = 1024 * 1024;
const imagesMax = 16;

export const editForm: FormFormat = {
  // And a mask.
  files: imagesMax + 1,
  fileMaxBytes: 25 * mebibyte,
  maxBytes: 64 * mebibyte,
  fieldKinds: {
    ...{ n: 'number', output_compression: 'number', partial_images: 'number', stream: 'boolean' },
    ...{ models: 'json', provider: 'json' },
  },
};

/** POST /v1/images/edits. Throws GatewayError `missing_parameter`, `invalid_parameter` or `unsupported_parameter`. */
export function readImageEdit(value: object, _text: string, form: Form | undefined): ImageCall {
  refuseStream(value);
  const { stream: _, partial_images: __, ...fields } = value as JsonRecord;
  const body: Static<typeof editFieldsSchema> & JsonRecord = checkValue(editFieldsSchema, fields);
  for (const name in body) if (!Object.hasOwn(editFieldsSchema.properties, name)) throw unsupportedParameter(name);
  const edited = readSources(form);
  return {
    kind: 'image',
    model: body.model,
    stream: false,
    n: body.n ?? 1,
    text: '',
    body,
    bytes: Buffer.byteLength(body.prompt),
    mediaParts: edited.images.length,
    promptTexts: [body.prompt],
    variant: { size: chosen(body.size), quality: chosen(body.quality) },
    edited,
  };
}

/** One is `image`, several are `image[]`. */
function readSources(form: Form | undefined): EditedImages {
  const files = form?.files ?? [];
  const unknown = files.find(({ field }) => !['image', 'image[]', 'mask'].includes(field));
  if (unknown !== undefined) throw unsupportedParameter(unknown.field);
  const images = files.filter(({ field }) => field !== 'mask').map((file) => readImage(file));
  const [mask, ...otherMasks] = files.filter(({ field }) => field === 'mask').map((file) => readImage(file));
  if (images.length === 0) throw missingParameter('image', 'It is a file of the form.');
  if (images.length > imagesMax) throw invalidParameter('image', `at most ${imagesMax} images`);
  if (otherMasks.length > 0) throw invalidParameter('mask', 'one image');
  return { images, mask };
}

/** By their first bytes. */
const imageTypes = { png: [0x89, 0x50, 0x4e, 0x47], jpeg: [0xff, 0xd8, 0xff] } as const;

function readImage({ field, bytes }: FormFile): UploadedFile {
  const begins = (start: readonly number[]) => start.every((byte, index) => bytes[index] === byte);
  const isWebp = Buffer.from(bytes.subarray(8, 12)).toString('latin1') === 'WEBP';
  const type = begins(imageTypes.png) ? 'png' : begins(imageTypes.jpeg) ? 'jpeg' : isWebp ? 'webp' : undefined;
  if (type === undefined) throw invalidParameter(field, 'a picture as png, jpeg or webp');
  return { bytes, fileName: `${field === 'mask' ? 'mask' : 'image'}.${type}`, mediaType: `image/${type}` };
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
