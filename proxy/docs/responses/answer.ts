/** A response, whole and as events. */
import { Type } from '@sinclair/typebox';
import { anything, count, orNull, ref, text, unixTime, usd, words } from '../schema-parts.ts';

const itemStatus = words(['in_progress', 'completed', 'incomplete'], 'Whether it is whole.');
const id = text('The id of the item.');

const part = Type.Union([
  Type.Object({
    type: Type.Literal('output_text'),
    text: Type.String(),
    annotations: Type.Array(Type.Unknown()),
    logprobs: Type.Array(Type.Unknown()),
  }),
  Type.Object({ type: Type.Literal('refusal'), refusal: Type.String() }),
]);
const summaryPart = Type.Object({ type: Type.Literal('summary_text'), text: Type.String() });

export const outputItem = Type.Union([
  Type.Object({
    id,
    type: Type.Literal('message'),
    role: Type.Literal('assistant'),
    status: itemStatus,
    content: Type.Array(part),
  }),
  Type.Object({
    id,
    type: Type.Literal('function_call'),
    call_id: text('To be named with the output of the call.'),
    name: Type.String(),
    arguments: text('JSON, as the model has written it: it may be invalid.'),
    status: itemStatus,
    extra_content: Type.Optional(anything('What the provider wants back with the call. Repeat it.')),
  }),
  Type.Object({
    id,
    type: Type.Literal('reasoning'),
    summary: Type.Array(summaryPart),
    encrypted_content: Type.Optional(orNull(Type.String(), 'Send it back unchanged with the next turn.')),
    status: itemStatus,
  }),
]);

const usage = Type.Object({
  input_tokens: count('Tokens of the prompt, those from a cache among them.'),
  input_tokens_details: Type.Object({ cached_tokens: count(''), cache_write_tokens: count('') }),
  output_tokens: count('Generated tokens, thoughts among them.'),
  output_tokens_details: Type.Object({ reasoning_tokens: count('') }),
  total_tokens: count('Both.'),
  cost: usd('What was charged, in USD.'),
});

const asRequested = (name: string) => anything(`As requested in \`${name}\`.`);

export const response = Type.Object({
  id: text('The id of the response. Nothing is stored under it.', 'resp_01940b5e7c1f7a3b9d2e5f60718293a4'),
  object: Type.Literal('response'),
  created_at: unixTime,
  completed_at: orNull(Type.Integer(), 'Seconds since 1970.'),
  status: words(['in_progress', 'completed', 'incomplete', 'failed'], '`incomplete` says why in `incomplete_details`.'),
  error: orNull(Type.Object({ code: Type.String(), message: Type.String() }), 'Of a response that has failed.'),
  incomplete_details: orNull(
    Type.Object({ reason: words(['max_output_tokens', 'content_filter'], 'What has ended it.') }),
    'Why it is incomplete.',
  ),
  output: Type.Array(ref('ResponseOutputItem')),
  usage: orNull(usage, 'Null while nothing has been charged.'),
  ...Object.fromEntries(
    [
      ...['model', 'instructions', 'max_output_tokens', 'max_tool_calls', 'metadata', 'parallel_tool_calls'],
      ...['temperature', 'top_p', 'top_logprobs', 'tool_choice', 'tools', 'text', 'reasoning', 'truncation'],
      ...['store', 'background', 'previous_response_id', 'prompt_cache_key', 'safety_identifier'],
    ].map((name) => [name, asRequested(name)]),
  ),
  user: Type.Optional(asRequested('user')),
});

const place = {
  item_id: Type.String(),
  output_index: Type.Integer(),
};
const inContent = { ...place, content_index: Type.Integer() };
const inSummary = { ...place, summary_index: Type.Integer() };
const event = (types: readonly string[], members: Parameters<typeof Type.Object>[0]) =>
  Type.Object({
    type: Type.Union(types.map((type) => Type.Literal(`response.${type}`))),
    sequence_number: Type.Integer(),
    ...members,
  });
const piece = { delta: Type.String(), logprobs: Type.Optional(Type.Array(Type.Unknown())) };
const whole = { text: Type.String(), logprobs: Type.Optional(Type.Array(Type.Unknown())) };

export const responseEvent = Type.Union(
  [
    event(['created', 'in_progress', 'completed', 'incomplete', 'failed'], { response: ref('Response') }),
    event(['output_item.added', 'output_item.done'], { output_index: Type.Integer(), item: ref('ResponseOutputItem') }),
    event(['content_part.added', 'content_part.done'], { ...inContent, part }),
    event(['output_text.delta', 'refusal.delta'], { ...inContent, ...piece }),
    event(['output_text.done'], { ...inContent, ...whole }),
    event(['refusal.done'], { ...inContent, refusal: Type.String() }),
    event(['reasoning_summary_part.added', 'reasoning_summary_part.done'], { ...inSummary, part: summaryPart }),
    event(['reasoning_summary_text.delta'], { ...inSummary, ...piece }),
    event(['reasoning_summary_text.done'], { ...inSummary, ...whole }),
    event(['function_call_arguments.delta'], { ...place, delta: Type.String() }),
    event(['function_call_arguments.done'], { ...place, name: Type.Optional(Type.String()), arguments: Type.String() }),
    Type.Object({
      type: Type.Literal('error'),
      sequence_number: Type.Integer(),
      code: orNull(Type.String(), 'Of the registry of errors.'),
      message: Type.String(),
      param: orNull(Type.String(), 'The parameter at fault.'),
    }),
  ],
  { description: 'The data of an event of a streamed response. The event is named after its type.' },
);

export const responseExample = {
  id: 'resp_01940b5e7c1f7a3b9d2e5f60718293a4',
  object: 'response',
  created_at: 1_893_456_000,
  status: 'completed',
  error: null,
  incomplete_details: null,
  completed_at: 1_893_456_001,
  model: 'demo/chat',
  instructions: null,
  max_output_tokens: 100,
  max_tool_calls: null,
  metadata: {},
  parallel_tool_calls: true,
  temperature: null,
  top_p: null,
  top_logprobs: 0,
  tool_choice: 'auto',
  tools: [],
  text: { format: { type: 'text' }, verbosity: null },
  reasoning: { effort: null, summary: null },
  truncation: 'disabled',
  store: false,
  background: false,
  previous_response_id: null,
  prompt_cache_key: null,
  safety_identifier: null,
  output: [
    {
      id: 'msg_01940b5e7c1f7a3b9d2e5f60718293a4_0',
      type: 'message',
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_text', text: 'Hello! How can I help you today?', annotations: [], logprobs: [] }],
    },
  ],
  usage: {
    input_tokens: 9,
    input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
    output_tokens: 12,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 21,
    cost: 0.000027,
  },
};

const deltaExample = {
  type: 'response.output_text.delta',
  sequence_number: 4,
  item_id: responseExample.output[0]?.id,
  output_index: 0,
  content_index: 0,
  delta: 'Hello!',
  logprobs: [],
};
const line = (data: { type: string }) => `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;

export const responseStreamExample =
  line(deltaExample) + line({ type: 'response.completed', sequence_number: 9, response: responseExample } as never);
