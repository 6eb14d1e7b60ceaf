/**
 * `POST /v1/audio/transcriptions` and `/v1/audio/translations`: it hears only what the demo has spoken, by the comment in the
 * file, and says of any other recording that there is one.
 */
import { RequestError } from './errors.ts';
import { requireModel } from './models.ts';

/** Of a recording that is not WAV. */
const bytesPerSecond = 16_000;

export async function transcribe(form: Awaited<ReturnType<Request['formData']>>): Promise<Response> {
  requireModel({ model: form.get('model') }, 'transcription');
  const file = form.get('file');
  if (file === null || typeof file === 'string') throw new RequestError("'file' is missing.", { param: 'file' });
  const bytes = Buffer.from(await file.arrayBuffer());
  const { text, seconds } = hear(bytes);
  const usage = { type: 'duration', seconds: Math.ceil(seconds) };
  if (form.get('response_format') !== 'verbose_json') return Response.json({ text, usage });
  const segments = [{ id: 0, start: 0, end: seconds, text }];
  return Response.json({ task: 'transcribe', language: 'english', duration: seconds, text, segments, usage });
}

function hear(bytes: Buffer): { text: string; seconds: number } {
  if (bytes.toString('latin1', 0, 4) !== 'RIFF') {
    return { text: 'A recording that the demo cannot hear.', seconds: bytes.length / bytesPerSecond };
  }
  let text: string | undefined;
  let rate = bytesPerSecond;
  let dataBytes = 0;
  for (let at = 12; at + 8 <= bytes.length; ) {
    const name = bytes.toString('latin1', at, at + 4);
    const length = bytes.readUInt32LE(at + 4);
    const content = bytes.subarray(at + 8, at + 8 + length);
    if (name === 'fmt ') rate = content.readUInt32LE(8);
    if (name === 'data') dataBytes = content.length;
    if (name === 'LIST' && content.toString('latin1', 4, 8) === 'ICMT') {
      text = content.toString('utf8', 12, 12 + content.readUInt32LE(8));
    }
    at += 8 + length + (length % 2);
  }
  return { text: text ?? 'A recording that the demo cannot hear.', seconds: dataBytes / rate };
}
