/** Pictures, recordings and files of a message: inline where the client sends the data, by their address otherwise. */

import { GatewayError } from '../../../../shared/errors.ts';
import { isObject } from '../../../../shared/is-object.ts';
import { asText, type JsonRecord } from '../../../json/record.ts';
import type { ChatContentPart } from '../../../request/chat-request.ts';
import { isDataUrl, readDataUrl } from '../../../request/data-url.ts';
import { isLongData } from '../../../request/long-media.ts';

/** The formats that `input_audio` may have. Any other could name something else, such as video. */
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

/** The API knows the type of a file that was uploaded to it. */
const uploadedFile = /^https:\/\/generativelanguage\.googleapis\.com\/[^/]+\/files\//i;

/** `param` names the content part. Throws GatewayError. */
export function mediaPartOf(part: ChatContentPart, param: string): JsonRecord {
  switch (part.type) {
    case 'image_url':
      return byAddress(part.image_url?.url, { param: `${param}.image_url.url`, fallbackType: 'image/jpeg' });
    case 'input_audio':
      return audioPart(part.input_audio ?? { data: '', format: '' }, `${param}.input_audio`);
    case 'file':
      return filePart(part.file ?? {}, `${param}.file`);
    default:
      throw new GatewayError(
        'unsupported_parameter',
        `Content parts of type '${part.type}' cannot be sent to Gemini.`,
        {
          param: `${param}.type`,
        },
      );
  }
}

/** Whether a part, as it is sent, may count for as much as the context takes. What is behind an address is unknown. */
export function isLongPart({ fileData, inlineData: inline }: JsonRecord): boolean {
  if (fileData !== undefined) return true;
  if (!isObject(inline)) return false;
  return isLongData({ type: asText(inline.mimeType) ?? '', isBase64: true, data: asText(inline.data) ?? '' });
}

function audioPart({ data, format }: { data: string; format: string }, param: string): JsonRecord {
  const type = Object.hasOwn(audioTypes, format.toLowerCase()) ? audioTypes[format.toLowerCase()] : undefined;
  if (type !== undefined) return inlineData(type, readDataUrl(data)?.data ?? data);
  const expected = `one of ${Object.keys(audioTypes).join(', ')}`;
  throw new GatewayError('invalid_parameter', `Invalid value for '${param}.format': expected ${expected}.`, {
    param: `${param}.format`,
  });
}

function filePart(file: JsonRecord, param: string): JsonRecord {
  const data = asText(file.file_data);
  const namedType = mimeTypeOfName(asText(file.filename) ?? '');
  if (data === undefined) {
    return byAddress(asText(file.file_id), { param: `${param}.file_id`, fallbackType: namedType ?? 'application/pdf' });
  }
  if (/^(?:data|https):/i.test(data)) {
    return byAddress(data, { param: `${param}.file_data`, fallbackType: namedType ?? 'application/pdf' });
  }
  return inlineData(namedType ?? 'application/pdf', data);
}

/** A data URL, or an address that the API itself can read: its own files, cloud storage, or public https. */
function byAddress(url: string | null | undefined, options: { param: string; fallbackType: string }): JsonRecord {
  const { param, fallbackType } = options;
  if (url && isDataUrl(url)) return dataUrlPart(url, options);
  if (url && /^(?:https|gs):\/\/./i.test(url)) {
    const mimeType = mimeTypeOfName(url) ?? (uploadedFile.test(url) ? undefined : fallbackType);
    return { fileData: { ...(mimeType === undefined ? {} : { mimeType }), fileUri: url } };
  }
  throw new GatewayError('invalid_parameter', `Invalid value for '${param}': expected a data: or https: URL.`, {
    param,
  });
}

function dataUrlPart(url: string, { param, fallbackType }: { param: string; fallbackType: string }): JsonRecord {
  const read = readDataUrl(url);
  if (read === undefined) {
    throw new GatewayError('invalid_parameter', `Invalid value for '${param}': the data URL has no data.`, { param });
  }
  const { type, isBase64, data } = read;
  return inlineData(type || fallbackType, isBase64 ? data : base64Of(data, param));
}

function base64Of(percentEncoded: string, param: string): string {
  try {
    return Buffer.from(decodeURIComponent(percentEncoded)).toString('base64');
  } catch {
    throw new GatewayError('invalid_parameter', `Invalid value for '${param}': the data URL is malformed.`, { param });
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
