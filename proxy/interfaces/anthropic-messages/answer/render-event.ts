/** The framing of this interface's events: each is named after the type of its data. */

export function renderEvent(type: string, members: object = {}): string {
  return renderEventText(type, JSON.stringify({ type, ...members }));
}

/** `json` is the data, as text. */
export function renderEventText(type: string, json: string): string {
  return `event: ${type}\ndata: ${json}\n\n`;
}
