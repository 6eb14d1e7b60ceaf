/** Translates text, images and documents to the content parts of a chat message. */
import { withoutNullish } from '../../../../shared/members.ts';
import { asRecord } from '../../../nouns/json/record.ts';
import type { ChatContentPart } from '../../../nouns/requests/chat-request.ts';
import { checkMediaUrl, providerFile } from '../../chat-completions/content/provider-files.ts';
import { documentSources, imageSources, type ResultBlock, resultBlocks, textBlocks } from './block-schemas.ts';
import { readBlocks } from './read-blocks.ts';
import { readTagged } from './read-tagged.ts';

type Document = Extract<ResultBlock, { type: 'document' }>;
type SearchResult = Extract<ResultBlock, { type: 'search_result' }>;

/** `at` is the block's path in the body. */
export function partsOf(block: ResultBlock, at: string): ChatContentPart[] {
  switch (block.type) {
    case 'text':
      return [{ type: 'text', text: block.text, ...withoutNullish({ cache_control: block.cache_control }) }];
    case 'image': {
      const url = urlOf(readTagged(imageSources, withoutProviderFile(block.source, `${at}.source`), `${at}.source`));
      return [{ type: 'image_url', image_url: { url }, ...withoutNullish({ cache_control: block.cache_control }) }];
    }
    case 'document':
      return withCacheControl(documentParts(block, at), block.cache_control);
    case 'search_result':
      return withCacheControl(searchResultParts(block, at), block.cache_control);
  }
}

/** A single text becomes a string, which every provider accepts in every role. */
export function contentOf(parts: ChatContentPart[]): string | ChatContentPart[] {
  const [first, second] = parts;
  if (first === undefined) return '';
  const isPlain = second === undefined && first.type === 'text' && !first.cache_control;
  return isPlain ? (first.text ?? '') : parts;
}

/** Puts the mark on the last part. */
export function withCacheControl(
  parts: ChatContentPart[],
  cacheControl: ChatContentPart['cache_control'],
): ChatContentPart[] {
  const last = parts.at(-1);
  if (last === undefined || !cacheControl || last.cache_control) return parts;
  return [...parts.slice(0, -1), { ...last, cache_control: cacheControl }];
}

function documentParts(block: Document, at: string): ChatContentPart[] {
  const { title, context } = block;
  const source = readTagged(documentSources, withoutProviderFile(block.source, `${at}.source`), `${at}.source`);
  const heading = [title, context].filter((text) => typeof text === 'string' && text !== '');
  if (source.type === 'text') return [{ type: 'text', text: [...heading, source.data].join('\n\n') }];
  const headingParts = heading.map((text) => ({ type: 'text', text: text ?? '' }));
  if (source.type === 'content') {
    const place = `${at}.source.content`;
    const blocks = readBlocks(resultBlocks, source.content, place);
    return [...headingParts, ...blocks.flatMap((inner, index) => partsOf(inner, `${place}[${index}]`))];
  }
  const file = { type: 'file', file: { filename: title ?? 'document.pdf', file_data: urlOf(source) } };
  // The title is the file's name.
  return typeof context === 'string' && context !== '' ? [{ type: 'text', text: context }, file] : [file];
}

/** Throws GatewayError `unsupported_parameter` for a file at a provider. */
function withoutProviderFile(source: unknown, at: string): unknown {
  const { file_id: id, url } = asRecord(source);
  if ((id ?? null) !== null) throw providerFile(`${at}.file_id`);
  if (typeof url === 'string') checkMediaUrl(url, `${at}.url`);
  return source;
}

/** Chat completions have no such part, so the title and source are put above the text. */
function searchResultParts(block: SearchResult, at: string): ChatContentPart[] {
  const texts = readBlocks(textBlocks, block.content, `${at}.content`).map(({ text }) => text);
  return [{ type: 'text', text: [block.title, block.source, ...texts].join('\n\n') }];
}

function urlOf(source: { type: 'base64'; media_type: string; data: string } | { type: 'url'; url: string }): string {
  return source.type === 'url' ? source.url : `data:${source.media_type};base64,${source.data}`;
}
