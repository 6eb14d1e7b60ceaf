/** Translates content parts to Anthropic's content blocks. */
import { invalidParameter, unsupportedParameter } from '../../../../shared/http/parameter-errors.ts';
import type { ChatContentPart, ChatMessage } from '../../../nouns/requests/chat-request.ts';
import { mediaBlockOf } from './media-block.ts';
import type { CacheControl, MediaBlock, TextBlock } from './messages-request.ts';

type Content = ChatMessage['content'];

/** Text, images and files. `param` is the path of the content in the request. */
export function contentBlocksOf(content: Content, param: string): (TextBlock | MediaBlock)[] {
  return partsOf(content).flatMap((part, index) => blocksOfPart(part, `${param}[${index}]`));
}

/** Throws GatewayError `unsupported_parameter` for anything but text. */
export function textBlocksOf(content: Content, param: string): TextBlock[] {
  return partsOf(content).flatMap((part, index) => {
    if (part.type === 'text') return textBlock(part.text, part);
    if (part.type === 'refusal') return textBlock(part.refusal, part);
    throw unsupportedParameter(`${param}[${index}].type`);
  });
}

/** Anthropic refuses blank text blocks. */
export function textBlock(text: string | null | undefined, marked: Marked = {}): TextBlock[] {
  return text?.trim() ? [{ type: 'text', text, ...cacheControlOf(marked) }] : [];
}

interface Marked {
  readonly cache_control?: object | null | undefined;
}

/** For an hour only where the model has a price for it, as `pricedFor` has checked. */
export function cacheControlOf({ cache_control: mark }: Marked): { cache_control?: CacheControl } {
  if (!mark) return {};
  const isLong = 'ttl' in mark && mark.ttl === '1h';
  return { cache_control: isLong ? { type: 'ephemeral', ttl: '1h' } : { type: 'ephemeral' } };
}

function partsOf(content: Content): readonly ChatContentPart[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : (content ?? []);
}

function blocksOfPart(part: ChatContentPart, param: string): (TextBlock | MediaBlock)[] {
  switch (part.type) {
    case 'text':
      return textBlock(part.text, part);
    case 'image_url': {
      if (!part.image_url) throw invalidParameter(`${param}.image_url`, 'an object with a url');
      const { url } = part.image_url;
      return [{ ...mediaBlockOf(url, { param: `${param}.image_url.url`, linked: 'image' }), ...cacheControlOf(part) }];
    }
    case 'file':
      return [{ ...fileBlock(part.file ?? {}, `${param}.file`), ...cacheControlOf(part) }];
    default:
      throw unsupportedParameter(`${param}.type`, 'This model does not support content parts of this type.');
  }
}

function fileBlock(file: Readonly<Record<string, unknown>>, param: string): MediaBlock {
  const { file_data: data, filename } = file;
  if (typeof data !== 'string') {
    throw unsupportedParameter(`${param}.file_data`, "This model only accepts files as a data URL in 'file_data'.");
  }
  const block = mediaBlockOf(data, { param: `${param}.file_data`, linked: 'document' });
  return block.type === 'document' && typeof filename === 'string' && filename !== ''
    ? { ...block, title: filename }
    : block;
}
