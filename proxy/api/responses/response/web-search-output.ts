/** A search of the web by the provider. The client only reads it. */
import type { SearchBlock } from '../../../nouns/chat-completion.ts';
import { asRecord, asText } from '../../../nouns/json/record.ts';
import type { ItemStatus, ResponseItem } from '../output-item-schemas.ts';
import type { OutputItem, Place } from './events.ts';

type Search = Extract<SearchBlock, { type: 'server_tool_use' }>;
type Found = Extract<SearchBlock, { type: 'web_search_tool_result' }>;

export class WebSearchOutput implements OutputItem {
  /** Others may be searched before this one has found something. */
  readonly staysOpen = true;
  readonly searchId: string;
  readonly #place: Place;
  readonly #query: string;
  #hasFailed = false;
  #hasFound = false;
  #ended: ItemStatus | undefined;

  constructor(place: Place, { id, input }: Search) {
    this.#place = place;
    this.searchId = id;
    this.#query = asText(asRecord(input).query) ?? '';
    const { emit, outputIndex } = place;
    emit({ type: 'response.output_item.added', output_index: outputIndex, item: this.show('in_progress') });
    emit({ type: 'response.web_search_call.in_progress', ...this.#position() });
    emit({ type: 'response.web_search_call.searching', ...this.#position() });
  }

  found({ content }: Found): void {
    this.#hasFailed = !Array.isArray(content);
    this.#hasFound = !this.#hasFailed;
    this.end('completed');
  }

  show(unended: ItemStatus): ResponseItem {
    const status = this.#hasFailed ? 'failed' : (this.#ended ?? unended);
    const action = { type: 'search' as const, query: this.#query, queries: [this.#query] };
    return { id: this.#place.id, type: 'web_search_call', status, action };
  }

  end(status: ItemStatus): void {
    if (this.#ended !== undefined) return;
    // One that has brought nothing by the end waits for its next turn.
    this.#ended = this.#hasFailed || this.#hasFound ? status : 'incomplete';
    const { emit, outputIndex } = this.#place;
    if (this.#hasFound) emit({ type: 'response.web_search_call.completed', ...this.#position() });
    emit({ type: 'response.output_item.done', output_index: outputIndex, item: this.show(this.#ended) });
  }

  #position() {
    return { item_id: this.#place.id, output_index: this.#place.outputIndex };
  }
}
