/** Counts the server-sent events of one stream, wherever the network splits them. */

const newLine = '\n'.charCodeAt(0);
const eventEnd = Buffer.from('\n\n');

export class EventCounter {
  #endsInLine = false;

  /** How many events end in these bytes. */
  count(bytes: Buffer): number {
    let at = 0;
    let events = 0;
    if (this.#endsInLine && bytes[0] === newLine) {
      events += 1;
      at = 1;
    }
    for (;;) {
      const end = bytes.indexOf(eventEnd, at);
      if (end === -1) break;
      events += 1;
      at = end + eventEnd.length;
    }
    this.#endsInLine = at < bytes.length && bytes[bytes.length - 1] === newLine;
    return events;
  }
}
