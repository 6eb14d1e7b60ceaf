/** Pictures, recordings and files of a message: inline where the client sends the data, by their address otherwise. */

import { GatewayError } from '../../../shared/errors.ts';
import { asText, type JsonRecord } from '../../json/record.ts';
import type { ChatContentPart } from '../../request/chat-request.ts';

const mimeTypes: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  heic: 'image/heic',
  heif: 'image/heif',
  wav: 'audio/wav',
  mp3: 'audio/mp3',
  aac: 'audio/aac',
  ogg: 'audio/ogg',
  flac: 'audio/flac',
  aiff: 'audio/aiff',
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
    case 'input_audio': {
      const { data = '', format = '' } = part.input_audio ?? {};
      return inlineData(mimeTypes[format.toLowerCase()] ?? `audio/${format}`, withoutDataUrl(data));
    }
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
  if (url && /^data:/i.test(url)) return dataUrlPart(url, options);
  if (url && /^(?:https|gs):\/\/./i.test(url)) {
    const mimeType = mimeTypeOfName(url) ?? (uploadedFile.test(url) ? undefined : fallbackType);
    return { fileData: { ...(mimeType === undefined ? {} : { mimeType }), fileUri: url } };
  }
  throw new GatewayError('invalid_parameter', `Invalid value for '${param}': expected a data: or https: URL.`, {
    param,
  });
}

/** RFC 2397. */
function dataUrlPart(url: string, { param, fallbackType }: { param: string; fallbackType: string }): JsonRecord {
  const comma = url.indexOf(',');
  if (comma < 0) {
    throw new GatewayError('invalid_parameter', `Invalid value for '${param}': the data URL has no data.`, { param });
  }
  const [type = '', ...attributes] = url.slice('data:'.length, comma).split(';');
  const data = url.slice(comma + 1);
  const isBase64 = attributes.some((attribute) => attribute.trim().toLowerCase() === 'base64');
  return inlineData(type.trim() || fallbackType, isBase64 ? data : base64Of(data, param));
}

function base64Of(percentEncoded: string, param: string): string {
  try {
    return Buffer.from(decodeURIComponent(percentEncoded)).toString('base64');
  } catch {
    throw new GatewayError('invalid_parameter', `Invalid value for '${param}': the data URL is malformed.`, { param });
  }
}

function withoutDataUrl(data: string): string {
  return /^data:/i.test(data) ? data.slice(data.indexOf(',') + 1) : data;
}

function inlineData(mimeType: string, data: string): JsonRecord {
  return { inlineData: { mimeType, data } };
}

function mimeTypeOfName(name: string): string | undefined {
  const [path = ''] = name.split(/[?#]/, 1);
  return mimeTypes[path.slice(path.lastIndexOf('.') + 1).toLowerCase()];
}
