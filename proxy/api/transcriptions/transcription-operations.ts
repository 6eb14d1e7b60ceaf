/** POST /v1/audio/transcriptions and /v1/audio/translations in the document. */
import { Type } from '@sinclair/typebox';
import { describeOperation, type Operation } from '../../../shared/openapi/describe-operation.ts';
import { inferenceErrorForm, inferenceErrors } from '../document/error-codes.ts';
import { refusalsOfBodies } from '../document/error-examples.ts';
import { paidHeaders } from '../document/headers.ts';
import { always, count, text, usd } from '../document/schema-parts.ts';
import { proxyKey } from '../document/security.ts';
import { transcriptionRequestSchema, translationRequestSchema } from './transcription-request.ts';
import { readTranscription } from './transcriptions.ts';

const cost = usd('The cost of the request in USD. It has been charged.');
const seconds = (description: string) => Type.Number({ minimum: 0, description });

const usage = Type.Union(
  [
    Type.Object({ type: always('duration'), seconds: count('How long the recording is.'), cost }),
    Type.Object({
      type: always('tokens'),
      input_tokens: count('Tokens of the recording and the prompt.'),
      output_tokens: count('Tokens of the transcript.'),
      total_tokens: count('Tokens of the recording, the prompt and the transcript together.'),
      input_token_details: Type.Optional(
        Type.Object(
          { text_tokens: count('Tokens of the prompt.'), audio_tokens: count('Tokens of the recording.') },
          { description: 'What the input consists of, if the provider reports it.' },
        ),
      ),
      cost,
    }),
  ],
  { description: 'What was used: the seconds of the recording, or tokens, as the model is paid; and its cost.' },
);

const transcript = Type.Object(
  {
    text: text('What is said in the recording.'),
    logprobs: Type.Optional(
      Type.Array(Type.Unknown(), { description: 'The log probabilities, if they were asked for.' }),
    ),
    task: Type.Optional(text('`transcribe` or `translate`. In `verbose_json`.')),
    language: Type.Optional(text('The language of the recording. In `verbose_json`.')),
    duration: Type.Optional(seconds('How long the recording is, in seconds. In `verbose_json`.')),
    words: Type.Optional(
      Type.Array(
        Type.Object({
          word: text('The word, as it is written in the text.'),
          start: seconds('When it begins, in seconds.'),
          end: seconds('When it ends, in seconds.'),
        }),
        { description: 'The words with their times. In `verbose_json`, if they were asked for.' },
      ),
    ),
    segments: Type.Optional(
      Type.Array(
        Type.Object({
          start: seconds('When the segment begins, in seconds.'),
          end: seconds('When the segment ends, in seconds.'),
          text: text('What is said in it.'),
        }),
        {
          description:
            'The parts of the transcript with their times, and what else the model says of them. In `verbose_json`.',
        },
      ),
    ),
    usage,
  },
  { description: 'The transcript of a recording.' },
);

const transcriptEvent = Type.Union(
  [
    Type.Object({ type: always('transcript.text.delta'), delta: text('The next part of the transcript.') }),
    Type.Object({ type: always('transcript.text.done'), text: text('The whole transcript.'), usage }),
  ],
  { description: 'A part of the transcript, or its end.' },
);

export const transcriptionSchemas = {
  TranscriptionRequest: transcriptionRequestSchema,
  TranslationRequest: translationRequestSchema,
  Transcript: transcript,
  TranscriptEvent: transcriptEvent,
};

const minimal = { model: 'demo/transcription', file: 'RIFF…' };
const example = { text: 'Hello, world.', usage: { type: 'duration', seconds: 1, cost: 0.00012 } };
const stream =
  'data: {"type":"transcript.text.delta","delta":"Hello, world."}\n\n' +
  'data: {"type":"transcript.text.done","text":"Hello, world.","usage":{"type":"tokens","input_tokens":10,' +
  '"output_tokens":5,"total_tokens":15,"cost":0.00009}}\n\n';

const readFields = (value: object) => readTranscription(value, '', undefined);
const refusals = refusalsOfBodies(readFields, {
  missing_parameter: { model: minimal.model },
  invalid_parameter: { model: minimal.model, temperature: 2 },
  unsupported_parameter: { model: minimal.model, speaker: 'A' },
});

const common = {
  tag: 'Audio',
  security: proxyKey,
  parameters: ['IdempotencyKey'],
  errors: [...inferenceErrors, 'invalid_form', ...refusals],
  errorForm: inferenceErrorForm,
} satisfies Partial<Operation>;

const payment =
  'A model is paid by the second of the recording (`pricing.second`) or by tokens. While the request runs, the most that the recording ' +
  'can cost is held; it is measured by what is in the file, not by what its header says. `text`, `srt` and `vtt` are not JSON, so ' +
  'their cost is only in `x-cost-usd`. If you disconnect, the gateway still waits for the response, and it is charged.';

export const transcriptionPaths = {
  '/v1/audio/transcriptions': {
    post: describeOperation({
      ...common,
      id: 'createTranscription',
      summary: 'Transcribe a recording',
      description: `For models of the kind \`transcription\`. ${payment}`,
      body: { mediaType: 'multipart/form-data', schema: 'TranscriptionRequest', example: minimal },
      response: {
        description: 'The transcript, or a stream of events with `stream: true`.',
        headers: paidHeaders,
        schema: 'Transcript',
        example,
        stream: {
          schema: 'TranscriptEvent',
          description:
            'Each event is `data:` with JSON. Lines that begin with a colon keep the connection alive. A stream that fails ends with an ' +
            '`error` event and without `transcript.text.done`, and is not charged.',
          example: stream,
        },
      },
    }),
  },
  '/v1/audio/translations': {
    post: describeOperation({
      ...common,
      id: 'createTranslation',
      summary: 'Transcribe a recording in English',
      description: `For models of the kind \`transcription\`. ${payment}`,
      body: { mediaType: 'multipart/form-data', schema: 'TranslationRequest', example: minimal },
      response: { description: 'The transcript in English.', headers: paidHeaders, schema: 'Transcript', example },
    }),
  },
};
