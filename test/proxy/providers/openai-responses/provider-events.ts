/** Responses as OpenAI's own service sends them, with every kind of item that costs only tokens. */
import { framed as framedAsTyped, type TypedEvent } from '../../../harness/providers/completions.ts';
import { type Behaviour, eventStream, rawResponse } from '../../../harness/providers/scripted-provider.ts';

const head = {
  id: 'resp_provider',
  object: 'response',
  created_at: 1_790_000_000,
  error: null,
  incomplete_details: null,
  model: 'upstream-2026-01-01',
  store: false,
  tools: [],
};

/** 11 tokens in, 4 of them from the cache; 7 out, 2 of them reasoning. */
export const usage = {
  input_tokens: 11,
  input_tokens_details: { cached_tokens: 4 },
  output_tokens: 7,
  output_tokens_details: { reasoning_tokens: 2 },
  total_tokens: 18,
};

export const reasoning = {
  id: 'rs_1',
  type: 'reasoning',
  summary: [{ type: 'summary_text', text: 'Hm.' }],
  encrypted_content: 'gAAAAABo',
};
export const message = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  status: 'completed',
  phase: 'final_answer',
  content: [{ type: 'output_text', text: 'Grüße 👀.', annotations: [], logprobs: [] }],
};
export const call = {
  id: 'fc_1',
  type: 'function_call',
  call_id: 'call_1',
  namespace: 'n',
  name: 'weather',
  arguments: '{"city":"Perm"}',
  status: 'completed',
};
export const customCall = {
  id: 'ctc_1',
  type: 'custom_tool_call',
  call_id: 'call_2',
  name: 'patch',
  input: '*** Begin Patch',
  status: 'completed',
};
export const output = [reasoning, message, call, customCall];

const place = (output_index: number, item_id: string) => ({ output_index, item_id });

export const opening: readonly TypedEvent[] = [
  { type: 'response.created', response: { ...head, status: 'in_progress', output: [], usage: null } },
  { type: 'response.in_progress', response: { ...head, status: 'in_progress', output: [], usage: null } },
];

const inSummary = { ...place(0, 'rs_1'), summary_index: 0 };
const inContent = { ...place(1, 'msg_1'), content_index: 0 };
const noText = { type: 'output_text', text: '', annotations: [], logprobs: [] };

export const items: readonly TypedEvent[] = [
  { type: 'response.output_item.added', output_index: 0, item: { ...reasoning, summary: [] } },
  { type: 'response.reasoning_summary_part.added', ...inSummary, part: { type: 'summary_text', text: '' } },
  { type: 'response.reasoning_summary_text.delta', ...inSummary, delta: 'Hm.' },
  { type: 'response.reasoning_summary_text.done', ...inSummary, text: 'Hm.' },
  { type: 'response.reasoning_summary_part.done', ...inSummary, part: reasoning.summary[0] },
  { type: 'response.output_item.done', output_index: 0, item: reasoning },
  { type: 'response.output_item.added', output_index: 1, item: { ...message, status: 'in_progress', content: [] } },
  { type: 'response.content_part.added', ...inContent, part: noText },
  { type: 'response.output_text.delta', ...inContent, delta: 'Grüße ', logprobs: [], obfuscation: 'x' },
  { type: 'response.output_text.delta', ...inContent, delta: '👀.', logprobs: [] },
  { type: 'response.output_text.done', ...inContent, text: 'Grüße 👀.', logprobs: [] },
  { type: 'response.content_part.done', ...inContent, part: message.content[0] },
  { type: 'response.output_item.done', output_index: 1, item: message },
  { type: 'response.output_item.added', output_index: 2, item: { ...call, arguments: '', status: 'in_progress' } },
  { type: 'response.function_call_arguments.delta', ...place(2, 'fc_1'), delta: '{"city":"Perm"}' },
  { type: 'response.function_call_arguments.done', ...place(2, 'fc_1'), arguments: '{"city":"Perm"}' },
  { type: 'response.output_item.done', output_index: 2, item: call },
  { type: 'response.output_item.added', output_index: 3, item: { ...customCall, input: '', status: 'in_progress' } },
  { type: 'response.custom_tool_call_input.delta', ...place(3, 'ctc_1'), delta: '*** Begin Patch' },
  { type: 'response.custom_tool_call_input.done', ...place(3, 'ctc_1'), input: '*** Begin Patch' },
  { type: 'response.output_item.done', output_index: 3, item: customCall },
];

/** The items up to and including the first event of this type. */
export function itemsUntil(type: string): readonly TypedEvent[] {
  return items.slice(0, items.findIndex((event) => event.type === type) + 1);
}

export const completed: TypedEvent = {
  type: 'response.completed',
  response: { ...head, status: 'completed', output, usage },
};

/** Numbered and framed. */
export function framed(events: readonly TypedEvent[]): string {
  return framedAsTyped(events.map(({ type, ...event }, sequence_number) => ({ type, sequence_number, ...event })));
}

export const everything = framed([...opening, ...items, completed]);

const [streamed, whole] = [rawResponse(everything, eventStream), rawResponse(JSON.stringify(completed.response))];

/** The whole response, or its events if the request asks for a stream. */
export const responses: Behaviour = (truth, request) => (truth.body.stream === true ? streamed : whole)(truth, request);
