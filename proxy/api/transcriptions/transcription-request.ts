/** The form of a request for a transcription. Fields that are not named are refused. */
import { Type } from '@sinclair/typebox';
import { transcriptFormats } from '../../nouns/call.ts';
import { boolean, modelId, number, object, oneOf, optional } from '../../nouns/requests/fields.ts';
import type { FieldKind } from '../../nouns/requests/form-value.ts';
import { routingParameters } from '../../nouns/requests/routing.ts';

const promptMaxLength = 32_000;
const listMax = 8;

const file = Type.Unsafe<object>({
  type: 'string',
  format: 'binary',
  description:
    'The recording, at most 25 MiB, as `flac`, `mp3`, `mp4`, `mpeg`, `mpga`, `m4a`, `ogg`, `wav` or `webm`. Its length is held ' +
    'while the request runs.',
});

const shared = {
  model: modelId('The id of a transcription model, as listed by `GET /v1/models`.'),
  prompt: optional(
    Type.String({
      maxLength: promptMaxLength,
      description: 'A text to continue in the same style, or words to expect.',
      expected: `a string of at most ${promptMaxLength} characters`,
    }),
  ),
  response_format: optional(
    oneOf(
      transcriptFormats,
      'The form of the response: `json`, plain `text`, subtitles as `srt` or `vtt`, or `verbose_json` with times. Default `json`.',
    ),
  ),
  temperature: optional(number({ minimum: 0, maximum: 1 }, 'How much chance there is in choosing words. Default 0.')),
  ...routingParameters,
};

const granularity = oneOf(['word', 'segment'], 'Words or segments.');
const included = oneOf(['logprobs'], 'What to add to the response.');

/** Without the file, which is no text. */
export const transcriptionFieldsSchema = Type.Object({
  ...shared,
  language: optional(
    Type.String({
      pattern: '^[A-Za-z]{2,3}([-_][A-Za-z0-9]{2,8})?$',
      description: 'The language of the recording, as an ISO 639 code such as `en`. It makes the transcript better.',
      expected: 'the code of a language, such as en',
    }),
  ),
  timestamp_granularities: optional(
    Type.Array(granularity, {
      maxItems: listMax,
      description: 'Whether `verbose_json` has the times of words, of segments, or of both.',
      expected: 'word, segment or both',
    }),
  ),
  include: optional(
    Type.Array(included, {
      maxItems: listMax,
      description: '`logprobs` adds the log probabilities of the tokens, for models that have them.',
      expected: 'logprobs',
    }),
  ),
  chunking_strategy: optional(
    Type.Union([Type.Literal('auto'), object('How to divide the recording.')], {
      description: 'How the model divides a long recording: `auto`, or an object as the model has it.',
      expected: 'auto, or an object',
    }),
  ),
  stream: optional(
    boolean('Whether the response is a stream of events, for models that are paid by tokens. Default false.'),
  ),
});

export const translationFieldsSchema = Type.Object(shared);

/** What of it is no text. */
export const fieldKinds: Readonly<Record<string, FieldKind>> = {
  temperature: 'number',
  stream: 'boolean',
  timestamp_granularities: 'list',
  include: 'list',
  chunking_strategy: 'json',
  models: 'json',
  provider: 'json',
};

const { timestamp_granularities: granularities, include, ...plainFields } = transcriptionFieldsSchema.properties;

/** As it is documented: lists have `[]` behind their names. */
export const transcriptionRequestSchema = Type.Object(
  { file, ...plainFields, 'timestamp_granularities[]': granularities, 'include[]': include },
  { description: 'A recording to transcribe.' },
);

export const translationRequestSchema = Type.Object(
  { file, ...translationFieldsSchema.properties },
  { description: 'A recording to transcribe in English.' },
);
