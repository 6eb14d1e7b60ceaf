/** The body of a request for moderation. */
import { Type } from '@sinclair/typebox';
import { modelId, optional, string } from '../../nouns/requests/fields.ts';
import { routingParameters } from '../../nouns/requests/routing.ts';

const inputsMax = 2_048;
const several = { minItems: 1, maxItems: inputsMax };
const text = Type.String({ minLength: 1 });

const part = Type.Union([
  Type.Object({
    type: Type.Literal('text', { description: '`text`: a text to judge.' }),
    text: Type.String({ minLength: 1, description: 'The text to judge, together with the other parts.' }),
  }),
  Type.Object({
    type: Type.Literal('image_url', { description: '`image_url`: a picture to judge.' }),
    image_url: Type.Object(
      { url: Type.String({ minLength: 1, description: 'A public URL, or a `data:` URL with the picture.' }) },
      { description: 'Where the picture is, or the picture itself.' },
    ),
  }),
]);

export const moderationRequestSchema = Type.Object(
  {
    model: modelId('The id of a moderation model, as listed by `GET /v1/models`.'),
    input: Type.Union([text, Type.Array(text, several), Type.Array(part, several)], {
      description:
        'A text; a list of texts, each of which is judged on its own; or a list of parts, texts and pictures, that are judged together.',
      expected: `a string, or an array of 1 to ${inputsMax} strings or parts`,
    }),
    user: optional(
      string('An identifier of your end user, passed on to the provider to detect abuse. Do not send personal data.'),
    ),
    ...routingParameters,
  },
  { description: 'What to judge.' },
);
