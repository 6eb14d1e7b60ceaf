/** POST /v1/audio/transcriptions and /v1/audio/translations: what is said in a recording, as it is said or in English. */
import type { TObject } from '@sinclair/typebox';
import { checkValue } from '../../../shared/http/check-value.ts';
import type { Form } from '../../../shared/http/intake/form.ts';
import { invalidParameter, missingParameter, unsupportedParameter } from '../../../shared/http/parameter-errors.ts';
import type { TranscriptFormat, TranscriptionCall, UploadedAudio } from '../../nouns/call.ts';
import type { JsonRecord } from '../../nouns/json/record.ts';
import type { FormFormat } from '../../nouns/requests/form-value.ts';
import { measureAudio } from '../../pricing/audio-length/audio-length.ts';
import { fieldKinds, transcriptionFieldsSchema, translationFieldsSchema } from './transcription-request.ts';

const mebibyte = 1024 * 1024;
export const recordingForm: FormFormat = { files: 1, fileMaxBytes: 25 * mebibyte, maxBytes: 26 * mebibyte, fieldKinds };

/** Throws GatewayError `missing_parameter`, `invalid_parameter` or `unsupported_parameter`. */
export const readTranscription = readerOf(transcriptionFieldsSchema, false);
export const readTranslation = readerOf(translationFieldsSchema, true);

function readerOf(schema: TObject, translates: boolean) {
  return (value: object, _text: string, form: Form | undefined): TranscriptionCall => {
    const body: JsonRecord = checkValue(schema, value);
    for (const name in body) if (!Object.hasOwn(schema.properties, name)) throw unsupportedParameter(name);
    const prompt = typeof body.prompt === 'string' ? body.prompt : '';
    return {
      kind: 'transcription',
      model: String(body.model),
      stream: body.stream === true,
      text: '',
      body,
      bytes: Buffer.byteLength(prompt),
      mediaParts: 0,
      promptTexts: [prompt],
      audio: readAudio(form),
      translates,
      format: (body.response_format ?? 'json') as TranscriptFormat,
    };
  };
}

function readAudio(form: Form | undefined): UploadedAudio {
  const [file] = form?.files ?? [];
  if (file === undefined || file.field !== 'file') throw missingParameter('file', 'It is a file of the form.');
  const measured = measureAudio(file.bytes);
  if (measured === undefined) {
    throw invalidParameter('file', 'a recording as flac, mp3, mp4, mpeg, mpga, m4a, ogg, wav or webm');
  }
  const { format, secondsMax } = measured;
  return { bytes: file.bytes, fileName: `audio.${format}`, mediaType: `audio/${format}`, secondsMax };
}
