/**
 * The body of a request for images. Fields that are not named are refused by the provider's adapter, unless they are known
 * to be free.
 */
import { Type } from '@sinclair/typebox';
import { integer, modelId, oneOf, optional, string } from '../../nouns/requests/fields.ts';
import { routingParameters } from '../../nouns/requests/routing.ts';

/** What OpenAI's models take. What they may cost is limited by the context of the model. */
const promptMaxLength = 32_000;
const imagesMax = 10;

export const imageRequestSchema = Type.Object(
  {
    model: modelId('The id of an image model, as listed by `GET /v1/models`.'),
    prompt: Type.String({
      minLength: 1,
      maxLength: promptMaxLength,
      description:
        'A description of the images, limited to the context length of the model. It is charged if ' +
        '`pricing.prompt` of the model is not 0; otherwise the price of the images includes it.',
      expected: `a string of 1 to ${promptMaxLength} characters`,
    }),
    n: optional(
      integer(
        { minimum: 1, maximum: imagesMax },
        'How many images to generate. The price of all of them is held while the request runs; you pay for those generated. ' +
          'Default 1.',
      ),
    ),
    size: optional(
      Type.String({
        pattern: '^(auto|[1-9][0-9]{1,4}x[1-9][0-9]{1,4})$',
        description:
          'Width and height in pixels, such as `1024x1024`. Determines the price: `GET /v1/models` lists the sizes that have ' +
          'one. Default `auto`: the model chooses.',
        expected: 'auto, or a width and a height such as 1024x1024',
      }),
    ),
    quality: optional(
      Type.String({
        pattern: '^[a-z0-9_-]{1,32}$',
        description:
          'How much work to spend on an image: `low`, `medium` or `high`, or `standard` and `hd`, as the model has them. It ' +
          'decides the price. Default `auto`: the model chooses.',
        expected: 'a quality such as low, medium or high',
      }),
    ),
    response_format: optional(
      oneOf(['url', 'b64_json'], 'How images are returned, for models that support both: as a URL or in base64.'),
    ),
    style: optional(
      oneOf(['vivid', 'natural'], 'The style: dramatic or natural images, for models that support both.'),
    ),
    background: optional(
      oneOf(['transparent', 'opaque', 'auto'], 'Whether the background is transparent. Default `auto`.'),
    ),
    output_format: optional(
      oneOf(['png', 'jpeg', 'webp'], 'The file format, for models that return base64. Default `png`.'),
    ),
    output_compression: optional(
      integer({ minimum: 0, maximum: 100 }, 'How much a `jpeg` or `webp` is compressed, in percent. Default 100.'),
    ),
    moderation: optional(oneOf(['low', 'auto'], 'How strictly the provider moderates the images. Default `auto`.')),
    user: optional(
      string('An identifier of your end user, passed on to the provider to detect abuse. Do not send personal data.'),
    ),
    ...routingParameters,
  },
  { description: 'The images to generate, and their format.' },
);

const { moderation: _, style: __, ...editFields } = imageRequestSchema.properties;

/** Without the files, which are no text. */
export const editFieldsSchema = Type.Object({
  ...editFields,
  input_fidelity: optional(
    oneOf(['high', 'low'], 'How closely details such as faces are kept, for models that support it. Default `low`.'),
  ),
});

const picture = (description: string) => Type.Unsafe<object>({ type: 'string', format: 'binary', description });

export const imageEditRequestSchema = Type.Object(
  {
    image: picture('The picture to change, as png, jpeg or webp, at most 25 MiB. Several, up to 16, are `image[]`.'),
    mask: Type.Optional(picture('Where the first picture is to be changed: where this one is transparent.')),
    ...editFieldsSchema.properties,
  },
  { description: 'Pictures to make others from, and their format.' },
);
