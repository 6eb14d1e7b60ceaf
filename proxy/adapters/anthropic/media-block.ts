/** A picture or a document, given by a data URL (RFC 2397) or by its address. */
import { invalidParameter, unsupportedParameter } from './check-supported.ts';
import type { MediaBlock, MediaSource } from './messages-request.ts';

const dataUrlHead = /^data:([^;,]*)((?:;[^;,]*)*),/i;
/** Beside `text/*`: types whose bytes are text that a model can read. */
const textTypes: ReadonlySet<string> = new Set(['application/json', 'application/xml', 'application/yaml']);

/** `linked` is what an address stands for. Throws GatewayError that names `param`. */
export function mediaBlockOf(
  url: string,
  { param, linked }: { param: string; linked: MediaBlock['type'] },
): MediaBlock {
  const head = dataUrlHead.exec(url);
  if (head === null) {
    if (!/^https:\/\//i.test(url)) throw invalidParameter(param, 'a data URL or an https address');
    return { type: linked, source: { type: 'url', url } };
  }
  const [prefix, givenType = '', attributes = ''] = head;
  const isBase64 = /;base64$/i.test(attributes);
  return blockOfData(givenType.toLowerCase(), { data: url.slice(prefix.length), isBase64, param });
}

interface Data {
  readonly data: string;
  readonly isBase64: boolean;
  readonly param: string;
}

function blockOfData(mediaType: string, data: Data): MediaBlock {
  if (mediaType.startsWith('image/')) {
    // A common misspelling; Anthropic knows the registered name only.
    return { type: 'image', source: base64Source(mediaType === 'image/jpg' ? 'image/jpeg' : mediaType, data) };
  }
  if (mediaType === 'application/pdf') return { type: 'document', source: base64Source(mediaType, data) };
  if (mediaType === '' || mediaType.startsWith('text/') || textTypes.has(mediaType)) {
    return { type: 'document', source: { type: 'text', media_type: 'text/plain', data: decodeText(data) } };
  }
  throw unsupportedParameter(data.param, 'This model takes pictures, PDF and text files only.');
}

function base64Source(mediaType: string, { data, isBase64, param }: Data): MediaSource {
  if (!isBase64) throw invalidParameter(param, 'a data URL in base64');
  return { type: 'base64', media_type: mediaType, data };
}

function decodeText({ data, isBase64, param }: Data): string {
  try {
    if (!isBase64) return decodeURIComponent(data);
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(data, 'base64'));
  } catch {
    throw invalidParameter(param, 'a text in UTF-8');
  }
}
