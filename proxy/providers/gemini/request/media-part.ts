/** Images, audio and files of a message: inline if the client sends the data, otherwise by their URL. */
import { invalidParameter, missingParameter, unsupportedParameter } from '../../../../shared/http/parameter-errors.ts';
import { isObject } from '../../../../shared/members.ts';
import { asText, type JsonRecord } from '../../../nouns/json/record.ts';
import type { ChatContentPart } from '../../../nouns/requests/chat-request.ts';
import { isDataUrl, readDataUrl } from '../../../nouns/requests/data-url.ts';
import { isLongData } from '../../../nouns/requests/long-media.ts';

/** The allowed formats of `input_audio`. Any other could be something else, such as video. */
const audioTypes: Readonly<Record<string, string>> = {
  wav: 'audio/wav',
  mp3: 'audio/mp3',
  mpeg: 'audio/mpeg',
  aac: 'audio/aac',
  m4a: 'audio/m4a',
  ogg: 'audio/ogg',
  opus: 'audio/opus',
  flac: 'audio/flac',
  aiff: 'audio/aiff',
};

const mimeTypes: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  heic: 'image/heic',
  heif: 'image/heif',
  ...audioTypes,
  mp4: 'video/mp4',
  mov: 'video/mov',
  webm: 'video/webm',
  pdf: 'application/pdf',
  txt: 'text/plain',
  md: 'text/markdown',
  html: 'text/html',
  csv: 'text/csv',
  json: 'application/json',
};

/** `param` is the path of the content part. Throws GatewayError. */
export function mediaPartOf(part: ChatContentPart, param: string): JsonRecord {
  switch (part.type) {
    case 'image_url':
      return partOfUrl(part.image_url?.url, { param: `${param}.image_url.url`, fallbackType: 'image/jpeg' });
    case 'input_audio':
      return audioPart(part.input_audio ?? { data: '', format: '' }, `${param}.input_audio`);
    case 'file':
      return filePart(part.file ?? {}, `${param}.file`);
    default:
      throw unsupportedParameter(`${param}.type`, 'This model does not support content parts of this type.');
  }
}

/** Whether a part, as it is sent, may fill the context. What is behind a URL is unknown. */
export function isLongPart({ fileData, inlineData: inline }: JsonRecord): boolean {
  if (fileData !== undefined) return true;
  if (!isObject(inline)) return false;
  return isLongData({ type: asText(inline.mimeType) ?? '', isBase64: true, data: asText(inline.data) ?? '' });
}

function audioPart({ data, format }: { data: string; format: string }, param: string): JsonRecord {
  const type = Object.hasOwn(audioTypes, format.toLowerCase()) ? audioTypes[format.toLowerCase()] : undefined;
  if (type !== undefined) return inlineData(type, readDataUrl(data)?.data ?? data);
  throw invalidParameter(`${param}.format`, `one of ${Object.keys(audioTypes).join(', ')}`);
}

function filePart(file: JsonRecord, param: string): JsonRecord {
  const data = asText(file.file_data);
  if (data === undefined) throw missingParameter(`${param}.file_data`);
  const fallbackType = mimeTypeOfName(asText(file.filename) ?? '') ?? 'application/pdf';
  if (/^(?:data|https):/i.test(data)) return partOfUrl(data, { param: `${param}.file_data`, fallbackType });
  return inlineData(fallbackType, data);
}

/** A data URL, or a public URL that the API itself fetches. */
function partOfUrl(url: string | undefined, options: { param: string; fallbackType: string }): JsonRecord {
  const { param, fallbackType } = options;
  if (url && isDataUrl(url)) return dataUrlPart(url, options);
  if (url && /^https:\/\/./i.test(url)) {
    return { fileData: { mimeType: mimeTypeOfName(url) ?? fallbackType, fileUri: url } };
  }
  throw invalidParameter(param, 'a data: or https: URL');
}

function dataUrlPart(url: string, { param, fallbackType }: { param: string; fallbackType: string }): JsonRecord {
  const read = readDataUrl(url);
  if (read === undefined) throw invalidParameter(param, 'a data: URL with data');
  const { type, isBase64, data } = read;
  return inlineData(type || fallbackType, isBase64 ? data : base64Of(data, param));
}

function base64Of(percentEncoded: string, param: string): string {
  try {
    return Buffer.from(decodeURIComponent(percentEncoded)).toString('base64');
  } catch {
    throw invalidParameter(param, 'a data: URL with valid percent-encoding');
  }
}

function inlineData(mimeType: string, data: string): JsonRecord {
  return { inlineData: { mimeType, data } };
}

function mimeTypeOfName(name: string): string | undefined {
  const [path = ''] = name.split(/[?#]/, 1);
  const extension = path.slice(path.lastIndexOf('.') + 1).toLowerCase();
  return Object.hasOwn(mimeTypes, extension) ? mimeTypes[extension] : undefined;
}
