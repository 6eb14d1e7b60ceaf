/** POST /v1/audio/speech: text, spoken. */
import { checkValue } from '../../../shared/http/check-value.ts';
import type { SpeechCall } from '../../nouns/call.ts';
import { refuseUnpriced } from '../../nouns/requests/unpriced-parameters.ts';
import { speechRequestSchema } from './speech-request.ts';

/** Throws GatewayError `missing_parameter`, `invalid_parameter` or `unsupported_parameter`. */
export function readSpeech(value: object, text: string): SpeechCall {
  const body = checkValue(speechRequestSchema, value);
  // That of the voice, not the fast mode of a chat model.
  const { speed: _, ...others } = body;
  refuseUnpriced(others);
  const { model, input, instructions, response_format: format, stream_format: streamFormat } = body;
  return {
    kind: 'speech',
    model,
    stream: true,
    text,
    body,
    bytes: Buffer.byteLength(text),
    mediaParts: 0,
    promptTexts: instructions ? [instructions, input] : [input],
    characters: countCharacters(input),
    format: format ?? 'mp3',
    wantsEvents: streamFormat === 'sse',
  };
}

/** Two halves of a surrogate pair are one character. */
function countCharacters(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}
