/** Models' responses as chat completions, in streamed chunks and whole. */
import type { ChatChunk, ChatCompletion, ChatDelta, FinishReason } from '../../../../proxy/nouns/chat-completion.ts';

export interface ModelResponse {
  readonly name: string;
  readonly deltas: readonly ChatDelta[];
  readonly finish: FinishReason;
  readonly message: Omit<ChatCompletion['choices'][number]['message'], 'role'>;
}

const head = { id: 'chatcmpl-1', created: 1_790_000_000, model: 'upstream' };
const signed = { type: 'thinking' as const, thinking: 'Let me think.', signature: 'c2ln' };
const redacted = { type: 'redacted_thinking' as const, data: 'AAAA' };
const extra_content = { google: { thought_signature: 'c2ln' } };
const called = (id: string, name: string, args: string) => ({
  id,
  type: 'function' as const,
  function: { name, arguments: args },
});
const args = (index: number, text: string): ChatDelta => ({ tool_calls: [{ index, function: { arguments: text } }] });

/** The tools that these responses call; all others are functions. */
export const tools = [
  { type: 'custom', name: 'patch' },
  { type: 'namespace', name: 'n', tools: [{ type: 'custom', name: 'exec' }] },
  { type: 'tool_search', execution: 'client' },
];

export const responses: readonly ModelResponse[] = [
  {
    name: 'text',
    deltas: [{ content: 'Hello' }, { content: '' }, { content: ', "wörld" 🙂\n\n.' }],
    finish: 'stop',
    message: { content: 'Hello, "wörld" 🙂\n\n.', refusal: null },
  },
  { name: 'nothing at all', deltas: [], finish: 'stop', message: { content: '', refusal: null } },
  {
    name: 'a text that is cut by its length',
    deltas: [{ content: 'Hel' }, { content: 'lo' }],
    finish: 'length',
    message: { content: 'Hello', refusal: null },
  },
  {
    name: 'thoughts that use up the length',
    deltas: [{ reasoning_content: 'Hm' }, { reasoning_content: 'mm' }],
    finish: 'length',
    message: { content: null, refusal: null, reasoning_content: 'Hmmm' },
  },
  {
    name: 'a filtered answer',
    deltas: [{ content: 'The' }],
    finish: 'content_filter',
    message: { content: 'The', refusal: null },
  },
  {
    name: 'a refusal',
    deltas: [{ refusal: 'I will' }, { refusal: ' not.' }],
    finish: 'stop',
    message: { content: null, refusal: 'I will not.' },
  },
  {
    name: 'a refusal behind a text',
    deltas: [{ content: 'Well.' }, { refusal: 'No.' }],
    finish: 'stop',
    message: { content: 'Well.', refusal: 'No.' },
  },
  {
    name: 'thoughts and text',
    deltas: [{ reasoning_content: 'Let me ' }, { reasoning_content: 'think.' }, { content: '4' }, { content: '2' }],
    finish: 'stop',
    message: { content: '42', refusal: null, reasoning_content: 'Let me think.' },
  },
  {
    name: 'signed thoughts, text and a call',
    deltas: [
      { reasoning_content: 'Let me ' },
      { reasoning_content: 'think.' },
      { thinking_blocks: [signed] },
      { thinking_blocks: [redacted] },
      { content: 'I look it up.' },
      { tool_calls: [{ index: 0, ...called('a', 'weather', '') }] },
      args(0, '{"city":'),
      args(0, '"Perm"}'),
    ],
    finish: 'tool_calls',
    message: {
      content: 'I look it up.',
      refusal: null,
      reasoning_content: 'Let me think.',
      thinking_blocks: [signed, redacted],
      tool_calls: [called('a', 'weather', '{"city":"Perm"}')],
    },
  },
  {
    name: 'hidden thoughts',
    deltas: [{ thinking_blocks: [redacted] }, { content: '42' }],
    finish: 'stop',
    message: { content: '42', refusal: null, thinking_blocks: [redacted] },
  },
  {
    name: 'parallel calls, one without arguments and one with a signature',
    deltas: [
      { tool_calls: [{ index: 0, ...called('a', 'weather', '{"city":"Perm"}'), extra_content }] },
      { tool_calls: [{ index: 1, ...called('b', 'clock', '') }] },
    ],
    finish: 'tool_calls',
    message: {
      content: null,
      refusal: null,
      tool_calls: [{ ...called('a', 'weather', '{"city":"Perm"}'), extra_content }, called('b', 'clock', '{}')],
    },
  },
  {
    name: 'calls whose arguments come by turns',
    deltas: [
      { tool_calls: [{ index: 0, ...called('a', 'weather', '{"city"') }] },
      { tool_calls: [{ index: 1, ...called('b', 'weather', '{"ci') }] },
      args(0, ':"Perm"}'),
      args(1, 'ty":"Omsk"}'),
    ],
    finish: 'tool_calls',
    message: {
      content: null,
      refusal: null,
      tool_calls: [called('a', 'weather', '{"city":"Perm"}'), called('b', 'weather', '{"city":"Omsk"}')],
    },
  },
  {
    name: 'calls of every kind of tool',
    deltas: [
      { content: 'I edit it.' },
      { tool_calls: [{ index: 0, ...called('a', 'patch', '') }] },
      args(0, '{"input":"*** Begin'),
      args(0, ' Patch\\n\\ud83d'),
      args(0, '\\ude42 \\"é\\""}'),
      { tool_calls: [{ index: 1, ...called('b', 'n__exec', '{"inp') }] },
      { tool_calls: [{ index: 2, ...called('c', 'tool_search', '{"query":') }] },
      args(1, 'ut":"1"}'),
      args(2, '"rain"}'),
    ],
    finish: 'tool_calls',
    message: {
      content: 'I edit it.',
      refusal: null,
      tool_calls: [
        called('a', 'patch', '{"input":"*** Begin Patch\\n🙂 \\"é\\""}'),
        called('b', 'n__exec', '{"input":"1"}'),
        called('c', 'tool_search', '{"query":"rain"}'),
      ],
    },
  },
  {
    name: 'a custom call that is cut by its length',
    deltas: [{ tool_calls: [{ index: 0, ...called('a', 'patch', '{"input":"*** Be') }] }],
    finish: 'length',
    message: { content: null, refusal: null, tool_calls: [called('a', 'patch', '{"input":"*** Be')] },
  },
  {
    name: 'a call that is cut by its length',
    deltas: [{ tool_calls: [{ index: 0, ...called('a', 'weather', '{"ci') }] }],
    finish: 'length',
    message: { content: null, refusal: null, tool_calls: [called('a', 'weather', '{"ci')] },
  },
];

export function chunksOf({ deltas, finish }: Pick<ModelResponse, 'deltas' | 'finish'>): ChatChunk[] {
  const chunk = (delta: ChatDelta, finish_reason: FinishReason | null): ChatChunk => ({
    ...head,
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta, finish_reason }],
  });
  const first = chunk({ role: 'assistant', content: '' }, null);
  return [first, ...deltas.map((delta) => chunk(delta, null)), chunk({}, finish)];
}

export function completionOf({ message, finish }: ModelResponse): ChatCompletion {
  return {
    ...head,
    object: 'chat.completion',
    choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: finish, logprobs: null }],
  };
}
