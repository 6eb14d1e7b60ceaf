/** A call of a function. */
import type { ToolCallDelta } from '../../../nouns/chat-completion.ts';
import type { ItemStatus, ResponseItem } from '../output-item-schemas.ts';
import type { ToolIdentity } from '../request/toolbox.ts';
import { type CalledTool, type CallOutput, namesOf, type Place } from './events.ts';

export class FunctionCallOutput implements CallOutput {
  readonly staysOpen = true;
  readonly #place: Place;
  readonly #callId: string;
  readonly #tool: ToolIdentity;
  #arguments = '';
  #extraContent: unknown;
  #ended: ItemStatus | undefined;

  constructor(place: Place, { callId, tool }: CalledTool) {
    this.#place = place;
    this.#callId = callId;
    this.#tool = tool;
    place.emit({
      type: 'response.output_item.added',
      output_index: place.outputIndex,
      item: this.show('in_progress'),
    });
  }

  add({ function: called, extra_content: extraContent }: ToolCallDelta): void {
    this.#extraContent = extraContent ?? this.#extraContent;
    const delta = called?.arguments ?? '';
    if (delta === '') return;
    this.#arguments += delta;
    this.#place.emit({ type: 'response.function_call_arguments.delta', ...this.#position(), delta });
  }

  show(unended: ItemStatus): ResponseItem {
    return {
      id: this.#place.id,
      type: 'function_call',
      call_id: this.#callId,
      ...namesOf(this.#tool),
      arguments: this.#arguments,
      status: this.#ended ?? unended,
      ...(this.#extraContent !== undefined && { extra_content: this.#extraContent }),
    };
  }

  end(status: ItemStatus): void {
    if (this.#ended !== undefined) return;
    // The client parses the arguments as JSON even if there are none.
    if (this.#arguments === '' && status === 'completed') this.add({ index: 0, function: { arguments: '{}' } });
    this.#ended = status;
    const { emit, outputIndex } = this.#place;
    emit({
      type: 'response.function_call_arguments.done',
      ...this.#position(),
      name: this.#tool.name,
      arguments: this.#arguments,
    });
    emit({ type: 'response.output_item.done', output_index: outputIndex, item: this.show(status) });
  }

  #position() {
    return { item_id: this.#place.id, output_index: this.#place.outputIndex };
  }
}
