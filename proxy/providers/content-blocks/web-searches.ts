/** What a provider's searches of the web become in a chat completion: citations of the text, and blocks for who asks for them. */
import type { Annotation, SearchBlock } from '../../nouns/chat-completion.ts';
import type { WebSearch } from '../../nouns/requests/web-search.ts';
import type { Citation, ServerToolUse, WebSearchResult } from './model-block.ts';

/** Whether what was searched and found is returned, beside the citations. */
export type Shown = Pick<WebSearch, 'showsResults'>;

/** Whether the search was run. One that failed is not billed. */
export function hasResults({ content }: WebSearchResult): boolean {
  return Array.isArray(content);
}

/** For the part of the message's text from `begin` to `end`. */
export function annotationsOf(
  citations: readonly Citation[],
  { begin, end, shown }: { begin: number; end: number; shown: Shown },
): Annotation[] {
  return citations.flatMap((citation) => {
    const { url, title } = citation;
    if (!url) return [];
    const cited = { url, title: title ?? url, start_index: begin, end_index: end };
    return [{ type: 'url_citation' as const, url_citation: cited, ...(shown.showsResults && { citation }) }];
  });
}

export function searchBlockOf(block: ServerToolUse | WebSearchResult, shown: Shown): SearchBlock[] {
  if (!shown.showsResults) return [];
  if (block.type === 'server_tool_use') {
    const { type, id, name, input } = block;
    return [{ type, id: id ?? '', name: name ?? '', input: input ?? {} }];
  }
  const { type, tool_use_id: id, content } = block;
  return [{ type, tool_use_id: id ?? '', content }];
}
