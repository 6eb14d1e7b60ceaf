/** One turn of a conversation, as Gemini takes it. */
import type { JsonObject } from './json-value.ts';

export interface Content {
  readonly role: 'user' | 'model';
  readonly parts: readonly JsonObject[];
}
