/**
 * Reads a streamed response as a strict client would: checks the frames, numbers and order of its events, and compares
 * the sum of the chunks with the events that end them.
 */
import { expect } from 'bun:test';
import { accumulateResponse } from 'openai/lib/responses/ResponseAccumulator';
import type { Response, ResponseStreamEvent } from 'openai/resources/responses/responses';

type Of<Type extends ResponseStreamEvent['type']> = Extract<ResponseStreamEvent, { type: Type }>;

/** Everything except `output_text`, which openai-node adds. */
export type Ended = Omit<Response, 'output_text'>;

export function readEvents(text: string): ResponseStreamEvent[] {
  if (text === '') return [];
  expect(text).toEndWith('\n\n');
  return text
    .slice(0, -2)
    .split('\n\n')
    .map((frame) => {
      const [, type = '', data = ''] = /^event: ([\w.]+)\ndata: ([^\n]+)$/.exec(frame) ?? [];
      const event: ResponseStreamEvent = JSON.parse(data);
      expect(event.type as string).toBe(type);
      return event;
    });
}

/** The response that the stream ends with. Fails if an event is out of order. */
export function checkStream(events: readonly ResponseStreamEvent[]): Ended {
  expect(events.map(({ sequence_number }: { sequence_number?: number }) => sequence_number)).toEqual([
    ...events.keys(),
  ]);
  const types = events.map(({ type }) => type);
  expect(types.slice(0, 2)).toEqual(['response.created', 'response.in_progress']);
  const ended = events.at(-1);
  if (ended?.type !== 'response.completed' && ended?.type !== 'response.incomplete') {
    throw new Error(`the stream ends with ${ended?.type}`);
  }
  expect(ended.response.status as string).toBe(ended.type.replace('response.', ''));
  checkItems(events, ended.response);
  expect(withoutText(accumulate(events))).toEqual(ended.response);
  // The client's own sum of the chunks, without the last event.
  expect(accumulate(events.slice(0, -1)).output).toEqual(ended.response.output);
  return ended.response;
}

function checkItems(events: readonly ResponseStreamEvent[], { output }: Response): void {
  const added = of(events, 'response.output_item.added');
  const done = of(events, 'response.output_item.done');
  expect(added.map(({ output_index }) => output_index)).toEqual([...output.keys()]);
  expect(done.map(({ output_index }) => output_index).sort()).toEqual([...output.keys()]);
  expect(new Set(output.map(({ id }) => id)).size).toBe(output.length);
  for (const [index, item] of output.entries()) {
    const { id } = item;
    const own = events.filter((event) => 'output_index' in event && event.output_index === index);
    expect(own.at(0)).toMatchObject({ type: 'response.output_item.added', item: { id, type: item.type } });
    expect(own.at(-1)).toMatchObject({ type: 'response.output_item.done', item });
    for (const event of own) expect('item_id' in event ? event.item_id : id).toBe(String(id));
    checkChunks(own, item);
  }
}

/** The chunks are between the events that open and close their part, and add up to it. */
function checkChunks(own: readonly ResponseStreamEvent[], item: Response['output'][number]): void {
  const types = own.slice(1, -1).map(({ type }) => type.replace('response.', ''));
  const once = types.filter((type, index) => type !== types[index - 1] || !type.endsWith('.delta'));
  if (item.type === 'function_call') {
    expect(once.join(' ')).toMatch(/^(function_call_arguments\.delta )?function_call_arguments\.done$/);
    expect(sum(of(own, 'response.function_call_arguments.delta'))).toBe(item.arguments);
  } else if (item.type === 'custom_tool_call') {
    expect(once.join(' ')).toMatch(/^(custom_tool_call_input\.delta )?custom_tool_call_input\.done$/);
    expect(sum(of(own, 'response.custom_tool_call_input.delta'))).toBe(item.input);
    expect(of(own, 'response.custom_tool_call_input.done')[0]?.input).toBe(item.input);
  } else if (item.type === 'tool_search_call') {
    expect(once).toEqual([]);
  } else if (item.type === 'message') {
    const text = 'content_part.added output_text.delta output_text.done content_part.done';
    const refusal = text.replaceAll('output_text', 'refusal');
    expect(once.join(' ')).toBe(item.content.map(({ type }) => (type === 'refusal' ? refusal : text)).join(' '));
    const itemText = item.content.map((part) => (part.type === 'refusal' ? part.refusal : part.text)).join('');
    expect(sum([...of(own, 'response.output_text.delta'), ...of(own, 'response.refusal.delta')])).toBe(itemText);
  } else if (item.type === 'reasoning') {
    const part = 'reasoning_summary_part.added reasoning_summary_text.delta';
    const end = 'reasoning_summary_text.done reasoning_summary_part.done';
    expect(once.join(' ')).toBe(item.summary.length === 0 ? '' : `${part} ${end}`);
    expect(sum(of(own, 'response.reasoning_summary_text.delta'))).toBe(item.summary.map(({ text }) => text).join(''));
  }
}

function of<Type extends ResponseStreamEvent['type']>(events: readonly ResponseStreamEvent[], type: Type) {
  return events.filter((event): event is Of<Type> => event.type === type);
}

function sum(deltas: readonly { delta: string }[]): string {
  return deltas.map(({ delta }) => delta).join('');
}

function accumulate(events: readonly ResponseStreamEvent[]): Response {
  let snapshot: Response | undefined;
  for (const event of events) snapshot = accumulateResponse(event, snapshot);
  if (snapshot === undefined) throw new Error('no event');
  return snapshot;
}

function withoutText({ output_text: _, ...response }: Response): Ended {
  return response;
}
