/**
 * Translates a user turn to chat messages. Tool results come first, in order, because a chat needs them directly after
 * the calls; everything else follows.
 */
import { withoutNullish } from '../../../../shared/members.ts';
import type { ChatContentPart, ChatMessage } from '../../../nouns/requests/chat-request.ts';
import { resultBlocks, type ToolResultBlock, userBlocks } from './block-schemas.ts';
import { contentOf, partsOf } from './content-parts.ts';
import { readBlocks } from './read-blocks.ts';

/** `at` is the content's place in the body. */
export function userMessages(content: unknown, at: string): ChatMessage[] {
  const results: ChatMessage[] = [];
  const media: ChatContentPart[] = [];
  const rest: ChatContentPart[] = [];
  for (const [index, block] of readBlocks(userBlocks, content, at).entries()) {
    const place = `${at}[${index}]`;
    if (block.type !== 'tool_result') {
      rest.push(...partsOf(block, place));
      continue;
    }
    const result = readResult(block, place);
    results.push(result.message);
    media.push(...result.media);
  }
  const parts = [...media, ...rest];
  if (parts.length === 0 && results.length > 0) return results;
  return [...results, { role: 'user', content: contentOf(parts) }];
}

/**
 * A tool message can hold only text in most providers' interfaces. Images and files that a tool returned move to the
 * user message, with a text that names the call.
 */
function readResult(block: ToolResultBlock, at: string): { message: ChatMessage; media: ChatContentPart[] } {
  const place = `${at}.content`;
  const blocks = block.content === undefined ? [] : readBlocks(resultBlocks, block.content ?? '', place);
  const parts = blocks.flatMap((inner, index) => partsOf(inner, `${place}[${index}]`));
  const texts = parts.filter(({ type }) => type === 'text');
  const media = parts.filter(({ type }) => type !== 'text');
  const shown = block.is_error === true ? withErrorMark(texts) : texts;
  if (shown.length === 0 && media.length > 0) shown.push({ type: 'text', text: 'The result is attached below.' });
  const { cache_control } = block;
  return {
    message: {
      role: 'tool',
      tool_call_id: block.tool_use_id,
      content: contentOf(shown),
      ...withoutNullish({ cache_control }),
    },
    media:
      media.length === 0 ? [] : [{ type: 'text', text: `Result of the tool call ${block.tool_use_id}:` }, ...media],
  };
}

/** A chat can mark a failed call only in its text. */
function withErrorMark([first, ...others]: ChatContentPart[]): ChatContentPart[] {
  const text = first?.text ?? '';
  return [{ ...first, type: 'text', text: text === '' ? 'Error' : `Error: ${text}` }, ...others];
}
