/**
 * The events that a whole response of the Responses API is streamed in. Items of a type that is not known here come whole, as
 * they do from providers.
 */
import { asArray, asRecord, type JsonRecord } from '../../../nouns/json/record.ts';

interface Event extends JsonRecord {
  readonly type: string;
}

/** The member that deltas add up to, and the events that add to it, by the type of the item. */
const growing: Readonly<Record<string, { readonly member: string; readonly events: string }>> = {
  function_call: { member: 'arguments', events: 'response.function_call_arguments' },
  custom_tool_call: { member: 'input', events: 'response.custom_tool_call_input' },
};

/** `response` is complete, and so are its texts. */
export function eventsOfResponse(response: JsonRecord): string {
  const opened = { ...response, status: 'in_progress', incomplete_details: null, output: [], usage: null };
  const type = response.status === 'incomplete' ? 'response.incomplete' : 'response.completed';
  const events: Event[] = [
    { type: 'response.created', response: opened },
    { type: 'response.in_progress', response: opened },
    ...asArray(response.output).flatMap((item, place) => eventsOfItem(asRecord(item), place)),
    { type, response },
  ];
  return events.map(framed).join('');
}

function eventsOfItem(item: JsonRecord, output_index: number): Event[] {
  const itemType = String(item.type);
  const grows = Object.hasOwn(growing, itemType) ? growing[itemType] : undefined;
  const isOpen = item.status !== undefined;
  const empty = {
    ...item,
    ...(isOpen && { status: 'in_progress' }),
    ...(itemType === 'message' && { content: [] }),
    ...(grows && { [grows.member]: '' }),
  };
  const inside: Event[] = [];
  if (itemType === 'message') {
    const parts = asArray(item.content).map(asRecord);
    inside.push(
      ...parts.flatMap((part, content_index) => eventsOfPart(part, { ...placeOf(item, output_index), content_index })),
    );
  }
  if (grows !== undefined) {
    const { member, events } = grows;
    const place = placeOf(item, output_index);
    inside.push(
      { type: `${events}.delta`, ...place, delta: item[member] },
      {
        type: `${events}.done`,
        ...place,
        ...(itemType === 'function_call' && { name: item.name }),
        [member]: item[member],
      },
    );
  }
  return [
    { type: 'response.output_item.added', output_index, item: empty },
    ...inside,
    { type: 'response.output_item.done', output_index, item },
  ];
}

function placeOf({ id: item_id }: JsonRecord, output_index: number): JsonRecord {
  return { item_id, output_index };
}

function eventsOfPart(part: JsonRecord, place: JsonRecord): Event[] {
  const { text, refusal } = part;
  const texts: Event[] =
    part.type === 'refusal'
      ? [
          { type: 'response.refusal.delta', ...place, delta: refusal },
          { type: 'response.refusal.done', ...place, refusal },
        ]
      : [
          { type: 'response.output_text.delta', ...place, delta: text, logprobs: part.logprobs ?? [] },
          ...asArray(part.annotations).map((annotation, annotation_index) => ({
            type: 'response.output_text.annotation.added',
            ...place,
            annotation_index,
            annotation,
          })),
          { type: 'response.output_text.done', ...place, text, logprobs: part.logprobs ?? [] },
        ];
  const empty =
    part.type === 'refusal' ? { ...part, refusal: '' } : { ...part, text: '', annotations: [], logprobs: [] };
  return [
    { type: 'response.content_part.added', ...place, part: empty },
    ...texts,
    { type: 'response.content_part.done', ...place, part },
  ];
}

function framed({ type, ...members }: Event, sequence_number: number): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number, ...members })}\n\n`;
}
