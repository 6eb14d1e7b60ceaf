/**
 * What is sent of an earlier turn of the model. Anthropic has signed its thinking at its place in the turn, and refuses it at
 * another one, so it is only sent where it stood.
 */
import type { ThinkingBlock } from '../../nouns/chat-completion.ts';
import { asArray, asRecord } from '../../nouns/json/record.ts';
import type { ChatMessage } from '../../nouns/requests/chat-request.ts';
import { isOfSearch, type OrderedBlock, orderedTurn } from '../../nouns/requests/ordered-turn.ts';

/** Undefined if the turn is in the order of a chat message, or cannot be sent as it was. */
export function orderOf(message: ChatMessage, keepsSearches = false): readonly OrderedBlock[] | undefined {
  const turn = message[orderedTurn];
  if (turn === undefined || turn === 'unknown') return undefined;
  return keepsSearches || !turn.some(isOfSearch) ? turn : undefined;
}

/** The thinking of a turn that is sent in the order of a chat message. None if searches beside it are left out. */
export function leadingThoughts(message: ChatMessage): readonly ThinkingBlock[] {
  return message[orderedTurn] === undefined && !isCited(message) ? (message.thinking_blocks ?? []) : [];
}

/** Clients of chat completions send back the text of a turn with searches, whose citations show that there were some. */
function isCited(message: ChatMessage): boolean {
  const { annotations } = asRecord(message);
  return asArray(annotations).length > 0;
}
