/** POST /v1/audio/speech in the document. */
import { Type } from '@sinclair/typebox';
import { describeOperation } from '../../../shared/openapi/describe-operation.ts';
import { inferenceErrorForm, inferenceErrors } from '../document/error-codes.ts';
import { refusalsOfBodies } from '../document/error-examples.ts';
import { rateHeaders } from '../document/headers.ts';
import { always, count, text, usd } from '../document/schema-parts.ts';
import { proxyKey } from '../document/security.ts';
import { readSpeech } from './speech.ts';
import { speechRequestSchema } from './speech-request.ts';

const speechEvent = Type.Union(
  [
    Type.Object({ type: always('speech.audio.delta'), audio: text('A part of the audio, in base64.') }),
    Type.Object({
      type: always('speech.audio.done'),
      usage: Type.Object(
        {
          input_tokens: count('Tokens of the text, for a model that is paid by tokens.'),
          output_tokens: count('Tokens of the audio, for a model that is paid by tokens.'),
          total_tokens: count('Tokens of the text and the audio together.'),
          cost: usd('The cost of the request in USD. It has been charged.'),
        },
        { description: 'What was used, and its cost.' },
      ),
    }),
  ],
  { description: 'A part of the audio, or the end with the usage.' },
);

export const speechSchemas = { SpeechRequest: speechRequestSchema, SpeechEvent: speechEvent };

const minimal = { model: 'demo/speech', input: 'Hello, world.', voice: 'alloy' };
const refusals = refusalsOfBodies(readSpeech, {
  missing_parameter: { model: minimal.model, input: minimal.input },
  invalid_parameter: { ...minimal, speed: 5 },
  unsupported_parameter: { ...minimal, web_search_options: {} },
});

export const speechPaths = {
  '/v1/audio/speech': {
    post: describeOperation({
      id: 'createSpeech',
      tag: 'Audio',
      summary: 'Speak a text',
      description:
        'For models of the kind `speech`. The audio is passed on while it is generated. A model is paid by the characters of ' +
        '`input` (`pricing.character`), and then `x-cost-usd` has the cost, or by the tokens of the text and the audio, whose ' +
        'cost is known at the end: it is in the last event with `stream_format: "sse"`, and on the receipt. If you ' +
        'disconnect, the gateway still waits for the end, and the speech is charged. If the provider breaks off, the ' +
        'connection breaks, and nothing is charged.',
      security: proxyKey,
      body: {
        schema: 'SpeechRequest',
        examples: {
          file: { summary: 'A file', value: { ...minimal, response_format: 'wav' } },
          events: { summary: 'Events', value: { ...minimal, response_format: 'pcm', stream_format: 'sse' } },
        },
      },
      response: {
        description: 'The audio, or a stream of events with `stream_format: "sse"`.',
        headers: ['x-cost-usd', 'x-gateway-deployment', 'x-gateway-model', ...rateHeaders],
        mediaType: 'audio/*',
        schema: { type: 'string', description: 'The file, as bytes.' },
        example: 'RIFF…',
        stream: {
          schema: 'SpeechEvent',
          description:
            'Each event is `data:` with JSON. Lines that begin with a colon keep the connection alive. A stream that fails ends with an ' +
            '`error` event and without `speech.audio.done`.',
          example:
            'data: {"type":"speech.audio.delta","audio":"UklGRiQ…"}\n\n' +
            'data: {"type":"speech.audio.done","usage":{"input_tokens":0,"output_tokens":0,"total_tokens":0,"cost":0.000234}}\n\n',
        },
      },
      errors: [...inferenceErrors, ...refusals],
      errorForm: inferenceErrorForm,
    }),
  },
};
