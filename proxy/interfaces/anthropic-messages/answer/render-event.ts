/** Frames the events of this interface. Each event is named after the `type` of its data. */
import type { MessageEvent } from '../../../endpoints/messages/message-schemas.ts';

export function renderEvent(event: MessageEvent): string {
  return renderEventText(event.type, JSON.stringify(event));
}

/** `json` is the data, as text. */
export function renderEventText(type: MessageEvent['type'], json: string): string {
  return `event: ${type}\ndata: ${json}\n\n`;
}
