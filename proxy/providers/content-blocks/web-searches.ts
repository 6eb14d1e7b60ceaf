/** What a provider's searches of the web become in a chat completion: citations of the text, and blocks for who asks for them. */
import { isObject } from '../../../shared/members.ts';
import type { Annotation, SearchBlock } from '../../nouns/chat-completion.ts';
import { asArray, asRecord, asText } from '../../nouns/json/record.ts';
import { type WebSearch, webSearchKind } from '../../nouns/requests/web-search.ts';
import type { ModelBlock, ServerToolUse, WebSearchResult } from './model-block.ts';

/** Whether what was searched and found is returned, beside the citations. */
export type Shown = Pick<WebSearch, 'showsResults'>;

/** Whether a search was run. One that failed is not billed. */
export function isRunSearch(block: ModelBlock): boolean {
  return block.type === 'web_search_tool_result' && Array.isArray(block.content);
}

export function citationsOf(citations: unknown): Readonly<Record<string, unknown>>[] {
  return asArray(citations).filter(isObject);
}

/** For the part of the message's text from `begin` to `end`. */
export function annotationsOf(
  citations: readonly unknown[],
  { begin, end, shown }: { begin: number; end: number; shown: Shown },
): Annotation[] {
  return citations.flatMap((citation) => {
    const { url, title } = asRecord(citation);
    if (typeof url !== 'string' || url === '') return [];
    const cited = { url, title: asText(title) ?? url, start_index: begin, end_index: end };
    return [{ type: 'url_citation' as const, url_citation: cited, ...(shown.showsResults && { citation }) }];
  });
}

/** None for other tools, of which the gateway offers none. */
export function searchBlockOf(block: ServerToolUse | WebSearchResult, shown: Shown): SearchBlock[] {
  if (!shown.showsResults) return [];
  if (block.type === 'web_search_tool_result') {
    return [{ type: block.type, tool_use_id: asText(block.tool_use_id) ?? '', content: block.content ?? [] }];
  }
  const { type, id, name, input } = block;
  return name === webSearchKind ? [{ type, id: asText(id) ?? '', name, input: isObject(input) ? input : {} }] : [];
}
