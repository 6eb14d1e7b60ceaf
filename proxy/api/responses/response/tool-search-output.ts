/** A search for more tools, which the client makes. Its arguments are an object, so it has no deltas. */
import type { ToolCallDelta } from '../../../nouns/chat-completion.ts';
import { asRecord } from '../../../nouns/json/record.ts';
import type { ItemStatus, ResponseItem } from '../output-item-schemas.ts';
import type { CalledTool, CallOutput, Place } from './events.ts';

export class ToolSearchOutput implements CallOutput {
  readonly staysOpen = true;
  readonly #place: Place;
  readonly #callId: string;
  #arguments = '';
  #extraContent: unknown;
  #ended: ItemStatus | undefined;

  constructor(place: Place, { callId }: CalledTool) {
    this.#place = place;
    this.#callId = callId;
    place.emit({
      type: 'response.output_item.added',
      output_index: place.outputIndex,
      item: this.show('in_progress'),
    });
  }

  add({ function: called, extra_content: extraContent }: ToolCallDelta): void {
    this.#extraContent = extraContent ?? this.#extraContent;
    this.#arguments += called?.arguments ?? '';
  }

  show(unended: ItemStatus): ResponseItem {
    return {
      id: this.#place.id,
      type: 'tool_search_call',
      call_id: this.#callId,
      execution: 'client',
      arguments: this.#ended === undefined ? {} : asRecord(parse(this.#arguments)),
      status: this.#ended ?? unended,
      ...(this.#extraContent !== undefined && { extra_content: this.#extraContent }),
    };
  }

  end(status: ItemStatus): void {
    if (this.#ended !== undefined) return;
    this.#ended = status;
    const { emit, outputIndex } = this.#place;
    emit({ type: 'response.output_item.done', output_index: outputIndex, item: this.show(status) });
  }
}

/** Undefined if the model was cut off, or wrote something else. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
