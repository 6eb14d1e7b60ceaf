/**
 * The events of a streamed response, numbered and framed for SSE, and the items that they build up. The stream ends
 * without `[DONE]`.
 */
import type { ToolCallDelta } from '../../../nouns/chat-completion.ts';
import type { ItemStatus, ResponseItem } from '../output-item-schemas.ts';
import type { ToolIdentity } from '../request/toolbox.ts';
import type { ResponseEvent } from '../response-schemas.ts';

type Unnumbered<Event> = Event extends unknown ? Omit<Event, 'sequence_number'> : never;

export type Emit = (event: Unnumbered<ResponseEvent>) => void;

/** Events that carry the response object. */
type ResponseEventType = Extract<ResponseEvent, { response: unknown }>['type'];

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

/** The item's position in its response, and where its events go. */
export interface Place {
  readonly id: string;
  readonly outputIndex: number;
  readonly emit: Emit;
}

/** An item of a response's output while it grows. Each addition emits an event. */
export interface OutputItem {
  /** Calls stay open until the end, because a chat completion may continue the arguments of any of them. */
  readonly staysOpen: boolean;
  /** The item as it is now. An item that has not ended gets this status. */
  show(unended: ItemStatus): ResponseItem;
  /** Called when nothing more follows. A second call does nothing. */
  end(status: ItemStatus): void;
}

export interface CalledTool {
  readonly callId: string;
  readonly tool: ToolIdentity;
}

/** How an item names the tool that it calls. */
export function namesOf({ name, namespace }: ToolIdentity) {
  return { name, ...(namespace && { namespace }) };
}

/** A call of one of the client's tools. */
export interface CallOutput extends OutputItem {
  add(delta: ToolCallDelta): void;
}
