/** The model's reasoning: its text as a summary and, if requested, the signed blocks that the model needs back. */
import type { ThinkingBlock } from '../../../nouns/chat-completion.ts';
import { encodeThoughts } from '../../../nouns/requests/encrypted-thoughts.ts';
import type { ItemStatus, ResponseItem } from '../output-item-schemas.ts';
import type { OutputItem, Place } from './events.ts';

export class ReasoningOutput implements OutputItem {
  readonly staysOpen = false;
  readonly #place: Place;
  readonly #includesThoughts: boolean;
  readonly #blocks: ThinkingBlock[] = [];
  #text = '';
  /** How much of the text is in signed blocks. */
  #signedTo = 0;
  #ended: ItemStatus | undefined;

  constructor(place: Place, includesThoughts: boolean) {
    this.#place = place;
    this.#includesThoughts = includesThoughts;
    place.emit({
      type: 'response.output_item.added',
      output_index: place.outputIndex,
      item: this.show('in_progress'),
    });
  }

  addText(text: string): void {
    if (this.#text === '') {
      const part = { type: 'summary_text' as const, text: '' };
      this.#place.emit({ type: 'response.reasoning_summary_part.added', ...this.#position(), part });
    }
    this.#text += text;
    this.#place.emit({ type: 'response.reasoning_summary_text.delta', ...this.#position(), delta: text });
  }

  addBlocks(blocks: readonly ThinkingBlock[]): void {
    for (const block of blocks) {
      const open = this.#blocks.at(-1);
      if (open !== undefined && isUnsigned(open)) this.#blocks.pop();
      this.#add(open !== undefined && isUnsigned(open) ? joined(open, block) : block);
    }
  }

  show(unended: ItemStatus): ResponseItem {
    return {
      id: this.#place.id,
      type: 'reasoning',
      summary: this.#text === '' ? [] : [{ type: 'summary_text', text: this.#text }],
      ...(this.#includesThoughts && { encrypted_content: this.#encrypted() }),
      status: this.#ended ?? unended,
    };
  }

  end(status: ItemStatus): void {
    if (this.#ended !== undefined) return;
    this.#ended = status;
    const { emit, outputIndex } = this.#place;
    if (this.#text !== '') {
      const part = { type: 'summary_text' as const, text: this.#text };
      emit({ type: 'response.reasoning_summary_text.done', ...this.#position(), text: this.#text });
      emit({ type: 'response.reasoning_summary_part.done', ...this.#position(), part });
    }
    emit({ type: 'response.output_item.done', output_index: outputIndex, item: this.show(status) });
  }

  /** A signature may come alone, after the text of its block has been streamed. */
  #add(block: ThinkingBlock): void {
    const isSigned = block.type === 'thinking' && !isUnsigned(block);
    this.#blocks.push(isSigned ? { ...block, thinking: block.thinking || this.#text.slice(this.#signedTo) } : block);
    if (isSigned) this.#signedTo = this.#text.length;
  }

  #position() {
    return { item_id: this.#place.id, output_index: this.#place.outputIndex, summary_index: 0 };
  }

  /** Without blocks that were cut off before their signature: the provider would refuse them on the next turn. */
  #encrypted(): string | null {
    const whole = this.#blocks.filter((block) => !isUnsigned(block));
    return whole.length === 0 ? null : encodeThoughts(whole);
  }
}

/** A signature ends a block; until then all chunks belong to it. */
function isUnsigned({ type, signature }: ThinkingBlock): boolean {
  return type === 'thinking' && !signature;
}

function joined(open: ThinkingBlock, next: ThinkingBlock): ThinkingBlock {
  return { ...open, ...next, thinking: (open.thinking ?? '') + (next.thinking ?? '') };
}
