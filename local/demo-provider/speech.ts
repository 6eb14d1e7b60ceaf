/**
 * `POST /v1/audio/speech`: a tone for each character, whose pitch is that of the character. It has no encoder, so the formats
 * other than `pcm` are WAV. A file has its text as a comment, which is what the demo transcribes.
 */
import { isObject } from '../../shared/members.ts';
import { RequestError } from './errors.ts';
import { pacedStream } from './event-stream.ts';
import { numberField } from './fields.ts';
import { requireModel } from './models.ts';

const textMaxLength = 4_096;
const samplesPerSecond = 24_000;
const bytesPerSample = 2;
const characterSeconds = 0.06;
const loudness = 8_000;
/** Characters in a part of the response. */
const charactersPerPart = 4;

export function speak(body: unknown, tokensPerSecond: number): Response {
  if (!isObject(body)) throw new RequestError('The body must be a JSON object.');
  requireModel(body, 'speech');
  const { input, response_format: format } = body;
  if (typeof input !== 'string' || input === '' || input.length > textMaxLength) {
    const message = `'input' must be a text of 1 to ${textMaxLength} characters.`;
    throw new RequestError(message, { param: 'input' });
  }
  const speed = numberField(body, 'speed', { min: 0.25, max: 4 }) ?? 1;
  const characters = [...input];
  const samplesEach = Math.round((samplesPerSecond * characterSeconds) / speed);
  const tonesAt = (part: number) =>
    Buffer.concat(
      characters
        .slice(part * charactersPerPart, (part + 1) * charactersPerPart)
        .map((character) => toneOf(character, samplesEach)),
    );
  const isPlain = format === 'pcm';
  const header = wavHeader(input, characters.length * samplesEach * bytesPerSample);
  return pacedStream({
    parts: Math.ceil(characters.length / charactersPerPart),
    partAt: (part) => (part > 0 || isPlain ? tonesAt(part) : Buffer.concat([header, tonesAt(0)])),
    perSecond: tokensPerSecond,
    contentType: isPlain ? 'audio/pcm' : 'audio/wav',
  });
}

/** Fades in and out, so that nothing clicks. A space is silent. */
function toneOf(character: string, samples: number): Buffer {
  const tone = Buffer.alloc(samples * bytesPerSample);
  if (character.trim() === '') return tone;
  const pitch = 220 + ((character.codePointAt(0) ?? 0) % 48) * 20;
  for (let sample = 0; sample < samples; sample += 1) {
    const fade = Math.sin((Math.PI * sample) / samples);
    const wave = Math.sin((2 * Math.PI * pitch * sample) / samplesPerSecond);
    tone.writeInt16LE(Math.round(loudness * fade * wave), sample * bytesPerSample);
  }
  return tone;
}

/** Of a file with one channel (https://www.mmsp.ece.mcgill.ca/Documents/AudioFormats/WAVE/WAVE.html). */
function wavHeader(text: string, dataBytes: number): Buffer {
  const format = Buffer.alloc(16);
  format.writeUInt16LE(1, 0);
  format.writeUInt16LE(1, 2);
  format.writeUInt32LE(samplesPerSecond, 4);
  format.writeUInt32LE(samplesPerSecond * bytesPerSample, 8);
  format.writeUInt16LE(bytesPerSample, 12);
  format.writeUInt16LE(bytesPerSample * 8, 14);
  const comment = Buffer.concat([Buffer.from('INFO'), chunkOf('ICMT', Buffer.from(text))]);
  const chunks = Buffer.concat([Buffer.from('WAVE'), chunkOf('fmt ', format), chunkOf('LIST', comment)]);
  const data = sized('data', dataBytes);
  return Buffer.concat([sized('RIFF', chunks.length + data.length + dataBytes), chunks, data]);
}

/** Of an even length. */
function chunkOf(name: string, content: Buffer): Buffer {
  return Buffer.concat([sized(name, content.length), content, Buffer.alloc(content.length % 2)]);
}

function sized(name: string, bytes: number): Buffer {
  const head = Buffer.alloc(8);
  head.write(name, 0, 'latin1');
  head.writeUInt32LE(bytes, 4);
  return head;
}
