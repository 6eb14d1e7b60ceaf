/** The items of a streamed response as far as they have come, for a stream that ends before the provider ends it. */
import { asIndex, asRecord, asText, type JsonRecord } from '../../../nouns/json/record.ts';

interface Growing {
  item: JsonRecord;
  text: string;
  hasDeltas: boolean;
  isDone: boolean;
}

/** The member of an item that its deltas add up to, by the type of the item. */
const members: Readonly<Record<string, string>> = { function_call: 'arguments', custom_tool_call: 'input' };
/** The deltas that belong to this member, or to the text of a message. */
const deltas: ReadonlySet<string> = new Set([
  ...['response.output_text.delta', 'response.function_call_arguments.delta', 'response.custom_tool_call_input.delta'],
]);

export class GrowingOutput {
  /** By their index in the output. */
  readonly #items = new Map<number, Growing>();

  take(type: string, event: JsonRecord): void {
    const index = asIndex(event.output_index);
    if (index === undefined) return;
    const { item, delta } = event;
    const growing = this.#items.get(index);
    if (type === 'response.output_item.added' || type === 'response.output_item.done') {
      const isDone = type === 'response.output_item.done';
      this.#items.set(index, { item: asRecord(item), text: '', hasDeltas: false, isDone });
    } else if (growing !== undefined && typeof delta === 'string') {
      growing.hasDeltas = true;
      if (deltas.has(type)) growing.text += delta;
    }
  }

  /** Whether the item of the event has come in deltas. */
  hasDeltas({ output_index: index }: JsonRecord): boolean {
    return this.#items.get(asIndex(index) ?? -1)?.hasDeltas ?? false;
  }

  /** Ends the items that are open, and returns them with their indexes. */
  endOpen(): [index: number, item: JsonRecord][] {
    const open = [...this.#items].filter(([, { isDone }]) => !isDone);
    for (const [, growing] of open) {
      growing.item = { ...shown(growing), status: 'incomplete' };
      growing.isDone = true;
    }
    return open.map(([index, { item }]) => [index, item]);
  }

  items(): JsonRecord[] {
    return [...this.#items.values()].map((growing) => (growing.isDone ? growing.item : shown(growing)));
  }
}

function shown({ item, text }: Growing): JsonRecord {
  const type = asText(item.type) ?? '';
  if (type === 'message') {
    const part = { type: 'output_text', text, annotations: [], logprobs: [] };
    return { ...item, content: text === '' ? [] : [part] };
  }
  const member = Object.hasOwn(members, type) ? members[type] : undefined;
  return member === undefined ? item : { ...item, [member]: text };
}
