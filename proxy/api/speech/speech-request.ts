/**
 * The body of a request for speech. Fields that are not named are refused by the provider's adapter, unless they are known to be
 * free.
 */
import { Type } from '@sinclair/typebox';
import { modelId, number, oneOf, optional, string } from '../../nouns/requests/fields.ts';
import { routingParameters } from '../../nouns/requests/routing.ts';
import { speechFormats } from '../../nouns/speech-formats.ts';

/** What OpenAI's models take. */
const textMaxLength = 4_096;
const speeds = { minimum: 0.25, maximum: 4 };

export const speechRequestSchema = Type.Object(
  {
    model: modelId('The id of a speech model, as listed by `GET /v1/models`.'),
    input: Type.String({
      minLength: 1,
      maxLength: textMaxLength,
      description: 'The text to speak.',
      expected: `a string of 1 to ${textMaxLength} characters`,
    }),
    voice: Type.Union(
      [
        Type.String({ minLength: 1 }),
        Type.Object({ id: Type.String({ minLength: 1, description: 'The id of the voice.' }) }),
      ],
      {
        description:
          "The voice: a name such as `alloy`, as the model has them, or the id of one of the operator's own.",
        expected: 'the name of a voice',
      },
    ),
    instructions: optional(
      Type.String({
        maxLength: textMaxLength,
        description: 'How to speak, such as “cheerfully, with a Scottish accent”, for models that support it.',
        expected: `a string of at most ${textMaxLength} characters`,
      }),
    ),
    response_format: optional(
      oneOf(speechFormats, 'The file format; `pcm` is 24,000 16-bit little-endian samples a second. Default `mp3`.'),
    ),
    speed: optional(number(speeds, 'How fast to speak. Default 1.')),
    stream_format: optional(
      oneOf(
        ['audio', 'sse'],
        'Whether the response is the audio itself, or server-sent events with parts of it in base64, whose last one has the ' +
          'usage. Default `audio`.',
      ),
    ),
    user: optional(
      string('An identifier of your end user, passed on to the provider to detect abuse. Do not send personal data.'),
    ),
    ...routingParameters,
  },
  { description: 'The text to speak, and how.' },
);
