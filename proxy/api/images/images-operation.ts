/** POST /v1/images/generations in the document. */
import { Type } from '@sinclair/typebox';
import { describeOperation } from '../../../shared/openapi/describe-operation.ts';
import { inferenceErrorForm, inferenceErrors } from '../document/error-codes.ts';
import { refusalsOfBodies } from '../document/error-examples.ts';
import { paidHeaders } from '../document/headers.ts';
import { count, text, unixTime, usd } from '../document/schema-parts.ts';
import { proxyKey } from '../document/security.ts';
import { imageEditRequestSchema, imageRequestSchema } from './image-request.ts';
import { readImageEdit, readImages } from './images.ts';

const tokenDetails = (description: string) =>
  Type.Object({ image_tokens: count('Tokens of images.'), text_tokens: count('Tokens of texts.') }, { description });

const imageList = Type.Object(
  {
    created: unixTime,
    data: Type.Array(
      Type.Object({
        b64_json: Type.Optional(text('The image as a file in base64.')),
        url: Type.Optional(text("Where the image can be fetched, for a time that is the provider's.")),
        revised_prompt: Type.Optional(text('The prompt as the model revised it.')),
      }),
      { description: 'The images. There may be fewer than you asked for; only these are charged.' },
    ),
    background: Type.Optional(text('The background that was chosen, if the provider reports it.')),
    output_format: Type.Optional(text('The file format, if the provider reports it.')),
    quality: Type.Optional(text('The quality that was chosen, if the provider reports it.')),
    size: Type.Optional(text('The size that was chosen, if the provider reports it.')),
    usage: Type.Optional(
      Type.Object(
        {
          total_tokens: count('Tokens of the prompt and the images together.'),
          input_tokens: count('Tokens of the prompt.'),
          output_tokens: count('Tokens of the images.'),
          input_tokens_details: tokenDetails('What the prompt consists of.'),
          output_tokens_details: Type.Optional(tokenDetails('What the output consists of.')),
          cost: usd('The cost of the request in USD. It has been charged.'),
        },
        {
          description:
            "The provider's counts, if it reports them. Images are charged, and the tokens of the prompt if it has a price.",
        },
      ),
    ),
  },
  { description: 'The generated images.' },
);

export const imageSchemas = {
  ImageRequest: imageRequestSchema,
  ImageEditRequest: imageEditRequestSchema,
  ImageList: imageList,
};

const minimal = { model: 'demo/image', prompt: 'A red square' };
const example = {
  created: 1_893_456_000,
  data: [{ b64_json: 'iVBORw0KGgoAAAANSUhEUgAA…' }],
  output_format: 'png',
  quality: 'low',
  size: '512x512',
  usage: {
    total_tokens: 267,
    input_tokens: 3,
    output_tokens: 264,
    input_tokens_details: { text_tokens: 3, image_tokens: 0 },
    cost: 0.0024018,
  },
};
const refusals = refusalsOfBodies(readImages, {
  missing_parameter: { model: minimal.model },
  invalid_parameter: { ...minimal, n: 0 },
  unsupported_parameter: { ...minimal, stream: true },
});

const readFields = (value: object) => readImageEdit(value, '', undefined);
const refusalsOfEdits = refusalsOfBodies(readFields, {
  missing_parameter: minimal,
  invalid_parameter: { ...minimal, n: 11 },
  unsupported_parameter: { ...minimal, stream: true },
});

export const imagePaths = {
  '/v1/images/generations': {
    post: describeOperation({
      id: 'createImage',
      tag: 'Images',
      summary: 'Generate images',
      description:
        'For models of the kind `image`. Each image has a price, which depends on its size and quality; `GET /v1/models` lists ' +
        'them. A combination without a price is refused. If the provider returns fewer images than you asked for, you pay ' +
        'for those only. If you disconnect, the gateway still waits for the response, and generated images are charged.',
      security: proxyKey,
      parameters: ['IdempotencyKey'],
      body: {
        schema: 'ImageRequest',
        examples: {
          one: { summary: 'One image', value: minimal },
          several: {
            summary: 'Several images of one size',
            value: { ...minimal, n: 2, size: '512x512', response_format: 'b64_json' },
          },
        },
      },
      response: {
        description: 'The images.',
        headers: paidHeaders,
        schema: 'ImageList',
        example,
      },
      errors: [...inferenceErrors, ...refusals],
      errorForm: inferenceErrorForm,
    }),
  },
  '/v1/images/edits': {
    post: describeOperation({
      id: 'editImage',
      tag: 'Images',
      summary: 'Make images from others',
      description:
        'For models of the kind `image` whose prompt has a price, which is what the pictures that you send are charged by: the ' +
        'provider counts their tokens. The images that are made have the prices of `/v1/images/generations`, and everything else is ' +
        'as there.',
      security: proxyKey,
      parameters: ['IdempotencyKey'],
      body: {
        mediaType: 'multipart/form-data',
        schema: 'ImageEditRequest',
        example: { ...minimal, image: 'PNG…' },
      },
      response: { description: 'The images.', headers: paidHeaders, schema: 'ImageList', example },
      errors: [...inferenceErrors, 'invalid_form', ...refusalsOfEdits],
      errorForm: inferenceErrorForm,
    }),
  },
};
