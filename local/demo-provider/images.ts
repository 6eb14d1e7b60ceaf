/**
 * `POST /v1/images/generations` and `/v1/images/edits`: pictures of stripes, whose colours and angle are drawn from the prompt and the
 * pictures that are sent with it.
 */
import { isObject } from '../../shared/members.ts';
import { RequestError } from './errors.ts';
import { integerField, type JsonObject } from './fields.ts';
import { requireModel } from './models.ts';
import { encodePng } from './png.ts';
import { countTokens } from './tokens.ts';

const imagesMax = 10;
const usualSize = 256;
const sizeMax = 2_048;
const promptTokensMax = 8_192;
/** What an image of the usual size counts for; it is for show, as images are billed by the piece. */
const tokensOfImage = 256;
const stripePixels = 32;

export function generateImages(body: unknown, sources: readonly Uint8Array[] = []): Response {
  if (!isObject(body)) throw new RequestError('The body must be a JSON object.');
  requireModel(body, 'image');
  const { prompt } = body;
  if (typeof prompt !== 'string' || prompt === '') throw new RequestError("'prompt' is missing.", { param: 'prompt' });
  const count = integerField(body, 'n', { min: 1, max: imagesMax }) ?? 1;
  const size = readSize(body);
  const asUrl = readChoice(body, 'response_format', ['b64_json', 'url']) === 'url';
  const quality = readChoice(body, 'quality', ['low', 'medium', 'high']);
  const seed = sources.map((source) => ` ${Bun.hash(source)}`).join('');
  const data = Array.from({ length: count }, (_, index) => {
    const base64 = drawStripes(`${index} ${prompt}${seed}`, size).toString('base64');
    return asUrl ? { url: `data:image/png;base64,${base64}` } : { b64_json: base64 };
  });
  const textTokens = Math.min(countTokens(prompt, promptTokensMax), promptTokensMax);
  const sourceTokens = sources.length * tokensOfImage;
  const inputTokens = textTokens + sourceTokens;
  return Response.json({
    created: Math.floor(Date.now() / 1_000),
    background: 'opaque',
    output_format: 'png',
    quality,
    size: `${size.width}x${size.height}`,
    data,
    usage: {
      input_tokens: inputTokens,
      input_tokens_details: { text_tokens: textTokens, image_tokens: sourceTokens },
      output_tokens: count * tokensOfImage,
      total_tokens: inputTokens + count * tokensOfImage,
    },
  });
}

export async function editImages(form: Awaited<ReturnType<Request['formData']>>): Promise<Response> {
  const fields = [...form.entries()].flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : []));
  const files = [...form.values()].flatMap((value) => (typeof value === 'string' ? [] : [value]));
  if (files.length === 0) throw new RequestError("'image' is missing.", { param: 'image' });
  const { n, ...body } = Object.fromEntries(fields);
  const sources = await Promise.all(files.map((file) => file.bytes()));
  return generateImages({ ...body, ...(n !== undefined && { n: Number(n) }) }, sources);
}

interface Size {
  readonly width: number;
  readonly height: number;
}

function readSize({ size }: JsonObject): Size {
  if ((size ?? 'auto') === 'auto') return { width: usualSize, height: usualSize };
  const [, width, height] = /^(\d{2,4})x(\d{2,4})$/.exec(String(size)) ?? [];
  const read = { width: Number(width), height: Number(height) };
  if (read.width <= sizeMax && read.height <= sizeMax) return read;
  throw new RequestError(`'size' must be auto, or a width and a height of at most ${sizeMax}.`, { param: 'size' });
}

/** The first one is the default, and what `auto` chooses. */
function readChoice(body: JsonObject, name: string, choices: readonly [string, ...string[]]): string {
  const value = body[name] ?? 'auto';
  if (value === 'auto') return choices[0];
  if (typeof value === 'string' && choices.includes(value)) return value;
  throw new RequestError(`'${name}' must be one of ${choices.join(', ')}.`, { param: name });
}

/** The same picture for the same text. */
function drawStripes(text: string, { width, height }: Size): Buffer {
  const digest = new Bun.CryptoHasher('sha256').update(text).digest();
  const colourAt = (index: number) => [...digest.subarray(index * 3, index * 3 + 3)] as const;
  const palette = [0, 1, 2, 3].map(colourAt);
  const slope = (digest[31] ?? 0) / 128;
  const pixels = new Uint8Array(width * height);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1)
      pixels[y * width + x] = Math.floor((x + y * slope) / stripePixels) % palette.length;
  }
  return encodePng({ width, height, pixels, palette });
}
