/**
 * The order in which a model generated a turn of a conversation. A chat message has a place for thinking, then text, then calls.
 * Anthropic signs thinking at its place in the turn, and refuses it at another one. So a turn in any other order, or in which a
 * provider has searched the web, is kept under a symbol by those who translate it from another API format. No client of chat
 * completions can write it.
 */
import type { TurnBlock } from '../chat-completion.ts';

export const orderedTurn = Symbol('ordered turn');

/** As its client sent it back; `unknown` if what was searched and found is missing. */
export type OrderedTurn = readonly OrderedBlock[] | 'unknown';

export type OrderedBlock = TurnBlock & { readonly cache_control?: object | null };

/** In the order of a chat message. It has none for searches. */
const places: Readonly<Partial<Record<TurnBlock['type'], number>>> = {
  thinking: 0,
  redacted_thinking: 0,
  text: 1,
  call: 2,
};

/** Whether a chat message has these blocks in the order in which they are here. */
export function fitsChatMessage(blocks: readonly TurnBlock[]): boolean {
  let last = 0;
  for (const { type } of blocks) {
    const place = places[type];
    if (place === undefined || place < last) return false;
    last = place;
  }
  return true;
}

export function isOfSearch({ type }: { readonly type: string }): boolean {
  return type === 'server_tool_use' || type === 'web_search_tool_result';
}
