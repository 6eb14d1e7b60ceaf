/** A call of a custom tool, whose input is a text. */
import type { ToolCallDelta } from '../../../nouns/chat-completion.ts';
import type { ItemStatus, ResponseItem } from '../output-item-schemas.ts';
import { CustomInput } from './custom-input.ts';
import { type CalledTool, type CallOutput, namesOf, type Place } from './events.ts';

export class CustomCallOutput implements CallOutput {
  readonly staysOpen = true;
  readonly #place: Place;
  readonly #called: CalledTool;
  readonly #input = new CustomInput();
  #extraContent: unknown;
  #ended: ItemStatus | undefined;

  constructor(place: Place, called: CalledTool) {
    this.#place = place;
    this.#called = called;
    place.emit({
      type: 'response.output_item.added',
      output_index: place.outputIndex,
      item: this.show('in_progress'),
    });
  }

  add({ function: called, extra_content: extraContent }: ToolCallDelta): void {
    this.#extraContent = extraContent ?? this.#extraContent;
    this.#emitDelta(this.#input.push(called?.arguments ?? ''));
  }

  show(unended: ItemStatus): ResponseItem {
    return {
      id: this.#place.id,
      type: 'custom_tool_call',
      call_id: this.#called.callId,
      ...namesOf(this.#called.tool),
      input: this.#input.text,
      status: this.#ended ?? unended,
      ...(this.#extraContent !== undefined && { extra_content: this.#extraContent }),
    };
  }

  end(status: ItemStatus): void {
    if (this.#ended !== undefined) return;
    this.#emitDelta(this.#input.end());
    this.#ended = status;
    const { emit, outputIndex } = this.#place;
    emit({ type: 'response.custom_tool_call_input.done', ...this.#position(), input: this.#input.text });
    emit({ type: 'response.output_item.done', output_index: outputIndex, item: this.show(status) });
  }

  #emitDelta(delta: string): void {
    if (delta === '') return;
    this.#place.emit({ type: 'response.custom_tool_call_input.delta', ...this.#position(), delta });
  }

  #position() {
    return { item_id: this.#place.id, output_index: this.#place.outputIndex };
  }
}
