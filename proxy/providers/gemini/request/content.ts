/** The content of a message: one turn in Gemini's format, and the text of a request's message. */
import type { JsonRecord } from '../../../nouns/json/record.ts';
import type { ChatContentPart, ChatMessage } from '../../../nouns/requests/chat-request.ts';

export interface Content {
  readonly role: 'user' | 'model';
  readonly parts: readonly JsonRecord[];
}

/** The text of a message, without its media. */
export function plainTextOf(content: ChatMessage['content']): string {
  if (!Array.isArray(content)) return content ?? '';
  return content.map((part) => textOfPart(part) ?? '').join('');
}

/** Undefined if the part is not text. */
export function textOfPart(part: ChatContentPart): string | undefined {
  if (part.type === 'text') return part.text ?? '';
  return part.type === 'refusal' ? (part.refusal ?? '') : undefined;
}
