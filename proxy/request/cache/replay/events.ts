/** The data of stored events, and chunks as events. */
import { dataOfEvent, endOfEvent } from '../../../nouns/framing/event-text.ts';
import { type JsonPatch, patchObject } from '../../../nouns/json/patch-object.ts';

/** The data of each event but the end mark. */
export function dataOf(events: string): string[] {
  const found: string[] = [];
  let start = 0;
  for (let end = endOfEvent(events, start); end > 0; end = endOfEvent(events, start)) {
    const data = dataOfEvent(events.slice(start, end));
    start = end;
    if (data !== undefined && data !== '' && data !== '[DONE]') found.push(data);
  }
  return found;
}

export const chunkEvent = (data: string): string => `data: ${data}\n\n`;

/** Chunks say that the usage follows, if it does. */
export function withAnnouncement(data: string, announcesUsage: boolean): string {
  const patch: JsonPatch = { usage: announcesUsage ? 'null' : undefined };
  return patchObject(data, patch);
}
