/** A message of the model: its parts are text or a refusal. */
import type { Annotation } from '../../../nouns/chat-completion.ts';
import type { ItemStatus, ResponseItem, ResponsePart, UrlCitation } from '../output-item-schemas.ts';
import type { OutputItem, Place } from './events.ts';

export class MessageOutput implements OutputItem {
  readonly staysOpen = false;
  readonly #place: Place;
  readonly #parts: ResponsePart[] = [];
  /** Where it begins in the text of the whole chat completion. */
  readonly #begin: number;
  #ended: ItemStatus | undefined;

  constructor(place: Place, begin: number) {
    this.#place = place;
    this.#begin = begin;
    place.emit({
      type: 'response.output_item.added',
      output_index: place.outputIndex,
      item: this.show('in_progress'),
    });
  }

  addText(delta: string): void {
    let part = this.#parts.at(-1);
    if (part?.type !== 'output_text') {
      part = { type: 'output_text', annotations: [], logprobs: [], text: '' };
      this.#open(part);
    }
    part.text += delta;
    this.#place.emit({ type: 'response.output_text.delta', ...this.#position(), delta, logprobs: [] });
  }

  addAnnotation({ url_citation: cited }: Annotation): void {
    const part = this.#parts.at(-1);
    if (part?.type !== 'output_text') return;
    const { url, title, start_index: begin, end_index: end } = cited;
    const place = { start_index: begin - this.#begin, end_index: end - this.#begin };
    const annotation: UrlCitation = { type: 'url_citation', url, title, ...place };
    const index = part.annotations.push(annotation) - 1;
    const event = { ...this.#position(), annotation_index: index, annotation };
    this.#place.emit({ type: 'response.output_text.annotation.added', ...event });
  }

  addRefusal(delta: string): void {
    let part = this.#parts.at(-1);
    if (part?.type !== 'refusal') {
      part = { type: 'refusal', refusal: '' };
      this.#open(part);
    }
    part.refusal += delta;
    this.#place.emit({ type: 'response.refusal.delta', ...this.#position(), delta });
  }

  show(unended: ItemStatus): ResponseItem {
    const status = this.#ended ?? unended;
    return { id: this.#place.id, type: 'message', role: 'assistant', status, content: this.#parts };
  }

  end(status: ItemStatus): void {
    if (this.#ended !== undefined) return;
    this.#ended = status;
    this.#closePart();
    const { emit, outputIndex } = this.#place;
    emit({ type: 'response.output_item.done', output_index: outputIndex, item: this.show(status) });
  }

  #open(part: ResponsePart): void {
    this.#closePart();
    this.#parts.push(part);
    this.#place.emit({ type: 'response.content_part.added', ...this.#position(), part });
  }

  #closePart(): void {
    const part = this.#parts.at(-1);
    if (part === undefined) return;
    const { emit } = this.#place;
    if (part.type === 'refusal') {
      emit({ type: 'response.refusal.done', ...this.#position(), refusal: part.refusal });
    } else {
      emit({ type: 'response.output_text.done', ...this.#position(), text: part.text, logprobs: [] });
    }
    emit({ type: 'response.content_part.done', ...this.#position(), part });
  }

  /** The position of the last part, the only open one. */
  #position() {
    const { id, outputIndex } = this.#place;
    return { item_id: id, output_index: outputIndex, content_index: this.#parts.length - 1 };
  }
}
