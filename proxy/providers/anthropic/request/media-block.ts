/** A picture or a document, given by a data URL or by its address. */

import { invalidParameter, unsupportedParameter } from '../../../../shared/http/parameter-errors.ts';
import { type DataUrl, readDataUrl } from '../../../request/data-url.ts';
import type { MediaBlock, MediaSource } from './messages-request.ts';

/** Beside `text/*`: types whose bytes are text that a model can read. */
const textTypes: ReadonlySet<string> = new Set(['application/json', 'application/xml', 'application/yaml']);

/** `linked` is what an address stands for. Throws GatewayError that names `param`. */
export function mediaBlockOf(
  url: string,
  { param, linked }: { param: string; linked: MediaBlock['type'] },
): MediaBlock {
  const data = readDataUrl(url);
  if (data !== undefined) return blockOfData(data, param);
  if (!/^https:\/\//i.test(url)) throw invalidParameter(param, 'a data URL or an https address');
  return { type: linked, source: { type: 'url', url } };
}

function blockOfData(data: DataUrl, param: string): MediaBlock {
  const { type: mediaType } = data;
  if (mediaType.startsWith('image/')) {
    // A common misspelling; Anthropic knows the registered name only.
    return { type: 'image', source: base64Source(mediaType === 'image/jpg' ? 'image/jpeg' : mediaType, data, param) };
  }
  if (mediaType === 'application/pdf') return { type: 'document', source: base64Source(mediaType, data, param) };
  if (mediaType === '' || mediaType.startsWith('text/') || textTypes.has(mediaType)) {
    return { type: 'document', source: { type: 'text', media_type: 'text/plain', data: decodeText(data, param) } };
  }
  throw unsupportedParameter(param, 'This model takes pictures, PDF and text files only.');
}

function base64Source(mediaType: string, { data, isBase64 }: DataUrl, param: string): MediaSource {
  if (!isBase64) throw invalidParameter(param, 'a data URL in base64');
  return { type: 'base64', media_type: mediaType, data };
}

function decodeText({ data, isBase64 }: DataUrl, param: string): string {
  try {
    if (!isBase64) return decodeURIComponent(data);
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(data, 'base64'));
  } catch {
    throw invalidParameter(param, 'a text in UTF-8');
  }
}
