/** An image or a document, given by a data URL or an https URL. */
import { invalidParameter, unsupportedParameter } from '../../../../shared/http/parameter-errors.ts';
import { type DataUrl, readDataUrl } from '../../../nouns/requests/data-url.ts';
import type { MediaBlock, MediaSource } from './messages-request.ts';

/** Besides `text/*`: types whose content is text that a model can read. */
const textTypes: ReadonlySet<string> = new Set(['application/json', 'application/xml', 'application/yaml']);

/** `linked` is the type of block for an https URL. Throws GatewayError that names `param`. */
export function mediaBlockOf(
  url: string,
  { param, linked }: { param: string; linked: MediaBlock['type'] },
): MediaBlock {
  const data = readDataUrl(url);
  if (data !== undefined) return blockOfData(data, param);
  if (!/^https:\/\//i.test(url)) throw invalidParameter(param, 'a data: or https: URL');
  return { type: linked, source: { type: 'url', url } };
}

function blockOfData(data: DataUrl, param: string): MediaBlock {
  const { type: mediaType } = data;
  if (mediaType.startsWith('image/')) {
    // A common misspelling; Anthropic accepts only the registered name.
    return { type: 'image', source: base64Source(mediaType === 'image/jpg' ? 'image/jpeg' : mediaType, data, param) };
  }
  if (mediaType === 'application/pdf') return { type: 'document', source: base64Source(mediaType, data, param) };
  if (mediaType === '' || mediaType.startsWith('text/') || textTypes.has(mediaType)) {
    return { type: 'document', source: { type: 'text', media_type: 'text/plain', data: decodeText(data, param) } };
  }
  throw unsupportedParameter(param, 'This model only accepts images, PDFs and text files.');
}

function base64Source(mediaType: string, { data, isBase64 }: DataUrl, param: string): MediaSource {
  if (!isBase64) throw invalidParameter(param, 'a base64 data URL');
  return { type: 'base64', media_type: mediaType, data };
}

function decodeText({ data, isBase64 }: DataUrl, param: string): string {
  try {
    if (!isBase64) return decodeURIComponent(data);
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(data, 'base64'));
  } catch {
    throw invalidParameter(param, 'UTF-8 text');
  }
}
