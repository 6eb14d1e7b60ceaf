/** One turn of a conversation, as Gemini takes it. */
import type { JsonRecord } from '../../../json/record.ts';

export interface Content {
  readonly role: 'user' | 'model';
  readonly parts: readonly JsonRecord[];
}
