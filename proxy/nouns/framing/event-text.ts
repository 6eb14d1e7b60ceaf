/** Reads the framing of server-sent events, as far as the gateway needs it. */

const anyEventEnd = /\r\n\r\n|\n\n|\r\r/g;

/** The position after the blank line that ends the event at `start`, or 0 if the event is not complete yet. */
export function endOfEvent(text: string, start: number): number {
  if (!text.includes('\r', start)) {
    const end = text.indexOf('\n\n', start);
    return end < 0 ? 0 : end + 2;
  }
  anyEventEnd.lastIndex = start;
  return anyEventEnd.exec(text) === null ? 0 : anyEventEnd.lastIndex;
}

/** The data of an event, its lines joined; undefined if it has none, like a comment. */
export function dataOfEvent(event: string): string | undefined {
  if (event.startsWith('data:') && event.indexOf('\n') >= event.length - 2 && !event.includes('\r')) {
    return event.slice(5).trim();
  }
  const lines = event.split(/\r\n|\n|\r/).filter((line) => line.startsWith('data:'));
  if (lines.length === 0) return undefined;
  return lines
    .map((line) => line.slice(5).replace(/^ /, ''))
    .join('\n')
    .trim();
}
