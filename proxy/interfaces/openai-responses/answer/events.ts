/** The events of a streamed response, numbered and framed for SSE. The stream ends without `[DONE]`. */
import type { ResponseEvent } from '../../../endpoints/responses/response-schemas.ts';

type Unnumbered<Event> = Event extends unknown ? Omit<Event, 'sequence_number'> : never;

export type Emit = (event: Unnumbered<ResponseEvent>) => void;

/** Events that carry the response object. */
export type ResponseEventType = Extract<ResponseEvent, { response: unknown }>['type'];

export class EventWriter {
  #sequenceNumber = 0;
  #text = '';

  readonly emit: Emit = ({ type, ...fields }) => {
    this.#write(type, JSON.stringify(fields).slice(1, -1));
  };

  /** `response` is JSON text. */
  emitResponse(type: ResponseEventType, response: string): void {
    this.#write(type, `"response":${response}`);
  }

  /** Returns what was written since the last call. */
  take(): string {
    const text = this.#text;
    this.#text = '';
    return text;
  }

  #write(type: string, fields: string): void {
    const head = `{"type":"${type}","sequence_number":${this.#sequenceNumber}`;
    this.#sequenceNumber += 1;
    this.#text += `event: ${type}\ndata: ${head},${fields}}\n\n`;
  }
}
