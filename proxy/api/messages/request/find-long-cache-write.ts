/** Where a Messages request asks for a cache write of an hour, by its own paths. */
import { asRecord } from '../../../nouns/json/record.ts';
import { longMarkOf } from '../../chat-completions/content/cache-control.ts';
import type { MessagesRequest } from './request-schema.ts';

/** The path of the first mark for an hour. Undefined if there is none. */
export function findLongCacheWriteOf(request: MessagesRequest): string | undefined {
  return (
    longMarkOf(request, '') ??
    findInEach(request.system, 'system') ??
    findInEach(request.messages, 'messages') ??
    findInEach(request.tools, 'tools')
  );
}

/** In messages, blocks and tools, and in the blocks that they contain. What a tool is called with has no marks. */
function findInEach(list: unknown, at: string): string | undefined {
  if (!Array.isArray(list)) return undefined;
  for (const [index, each] of list.entries()) {
    const block = asRecord(each);
    const place = `${at}[${index}]`;
    const found =
      longMarkOf(block, place) ??
      findInEach(block.content, `${place}.content`) ??
      findInEach(asRecord(block.source).content, `${place}.source.content`);
    if (found !== undefined) return found;
  }
  return undefined;
}
