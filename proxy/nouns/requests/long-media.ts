/**
 * Long media are those that providers count by the page or the second instead of by size: an hour of black video fits
 * into 100 KB and is a million tokens to Gemini (https://ai.google.dev/gemini-api/docs/tokens), and a page of a PDF,
 * even a blank one, is hundreds. The hold assumes that they fill the context.
 *
 * The type is only the client's claim, and providers look at the data. So data counts as an image, as text, or as audio
 * with more bytes than tokens only if both its type and its first bytes say so; everything else is long.
 */
import type { ChatContentPart } from './chat-request.ts';
import { type DataUrl, isDataUrl, readDataUrl } from './data-url.ts';

const longMediaUrl =
  /youtu\.?be|\/files\/|\.(?:mp4|m4v|mov|webm|mpe?g|avi|flv|wmv|3gpp?|pdf|wav|mp3|m4a|aac|ogg|opus|flac|aiff?)(?:[?#]|$)/i;
const webUrl = /^https?:\/\//i;
const imageType = /^image\/(?:png|jpe?g|gif|webp|hei[cf]|avif)$/;
const textType = /^(?:text\/[\w.+-]+|application\/(?:json|xml|yaml)|image\/svg\+xml)$/;
const audioType = /^audio\/(?:wav|mp3|mpeg)$/;

/** A PDF's signature may be this far into the file. */
const headBytes = 1_024;
/** Telephone quality. At a lower rate, audio could have more tokens than bytes. */
const samplesPerSecondMin = 8_000;
/** Single images in HEIF, without image sequences. */
const stillBrands = ['heic', 'heix', 'heim', 'heis', 'mif1', 'avif'];

/** For providers that accept parts in this format. */
export function isLongMedia(part: ChatContentPart): boolean {
  switch (part.type) {
    case 'image_url':
      return isLongImage(part.image_url?.url ?? '');
    case 'file': {
      const data = part.file?.file_data;
      const url = typeof data === 'string' ? readDataUrl(data) : undefined;
      return url === undefined || isLongData(url);
    }
    case 'input_audio': {
      const { data = '', format = '' } = part.input_audio ?? {};
      return isLongData({
        type: `audio/${format.toLowerCase()}`,
        isBase64: true,
        data: readDataUrl(data)?.data ?? data,
      });
    }
    case 'refusal':
      return false;
    default:
      return true;
  }
}

export function isLongData({ type, isBase64, data }: DataUrl): boolean {
  if (textType.test(type)) return !isText({ isBase64, data });
  if (!isBase64) return true;
  if (imageType.test(type)) return !isImage(headOf(data));
  return !(audioType.test(type) && isDenseAudio(data));
}

/** Every provider reads the URL of an image part as an image. One whose name says otherwise is not trusted. */
function isLongImage(url: string): boolean {
  if (!isDataUrl(url)) return !webUrl.test(url) || longMediaUrl.test(url);
  const data = readDataUrl(url);
  return data === undefined || !data.type.startsWith('image/') || isLongData(data);
}

/** Text never has more tokens than bytes. */
function isText({ isBase64, data }: Omit<DataUrl, 'type'>): boolean {
  const head = isBase64 ? headOf(data).toString('latin1') : percentDecoded(data.slice(0, 3 * headBytes));
  return !head.includes('\0') && !head.includes('%PDF');
}

function isImage(head: Buffer): boolean {
  const text = head.toString('latin1');
  if (text.startsWith('\x89PNG') || text.startsWith('\xff\xd8\xff') || text.startsWith('GIF8')) return true;
  if (text.startsWith('RIFF')) return text.startsWith('WEBP', 8);
  return text.startsWith('ftyp', 4) && stillBrands.some((brand) => text.startsWith(brand, 8));
}

/** Whether there are at least 180 bytes per second, for which no provider counts more than 32 tokens. */
function isDenseAudio(data: string): boolean {
  const head = headOf(data);
  const text = head.toString('latin1');
  if (text.startsWith('RIFF')) {
    return head.length >= 28 && text.startsWith('WAVEfmt ', 8) && head.readUInt32LE(24) >= samplesPerSecondMin;
  }
  return isMpegFrame(text.startsWith('ID3') ? bytesOf(data, { from: lengthOfTag(head), length: 2 }) : head);
}

/** MP3: the first eleven bits are set, and the two layer bits are not both unset. */
function isMpegFrame([first = 0, second = 0]: Buffer): boolean {
  return first === 0xff && (second & 0xe0) === 0xe0 && (second & 0x06) !== 0;
}

/** ID3v2: a header of ten bytes, whose last four have seven bits each of the length that follows. */
function lengthOfTag(head: Buffer): number {
  return 10 + head.subarray(6, 10).reduce((length, byte) => length * 128 + (byte & 0x7f), 0);
}

function headOf(base64: string): Buffer {
  return bytesOf(base64, { from: 0, length: headBytes });
}

function bytesOf(base64: string, { from, length }: { from: number; length: number }): Buffer {
  const skipped = from % 3;
  const start = ((from - skipped) / 3) * 4;
  const text = base64.slice(start, start + Math.ceil((skipped + length) / 3) * 4);
  return Buffer.from(text, 'base64').subarray(skipped, skipped + length);
}

function percentDecoded(text: string): string {
  return text.replaceAll(/%([\da-f]{2})/gi, (_, code) => String.fromCharCode(Number.parseInt(code, 16)));
}
