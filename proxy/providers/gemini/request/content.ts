/** One turn of a conversation, in Gemini's format. */
import type { JsonRecord } from '../../../json/record.ts';

export interface Content {
  readonly role: 'user' | 'model';
  readonly parts: readonly JsonRecord[];
}
