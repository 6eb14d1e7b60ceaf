/**
 * A turn of a conversation in which a provider has searched the web. Chat messages have no place for what it was made of, so those
 * that are translated from another API format have it under a symbol, which no client of chat completions can write.
 */
import type { TurnBlock } from '../chat-completion.ts';

export const searchedTurn = Symbol('searched turn');

/** As its client sent it back; `unknown` if that was not all of it. */
export type SearchedTurn = readonly SearchedBlock[] | 'unknown';

export type SearchedBlock = (TurnBlock & { readonly cache_control?: object | null }) | CalledBlock;

interface CalledBlock {
  readonly type: 'tool_use';
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}
