/** A message, whole and as events, and the errors of this interface. */
import { Type } from '@sinclair/typebox';
import { anything, count, orNull, ref, text, usd, words } from '../schema-parts.ts';

const usage = Type.Object({
  input_tokens: count('Tokens of the prompt, without those of the cache.'),
  cache_creation_input_tokens: count("Written to the provider's cache."),
  cache_read_input_tokens: count("Read from the provider's cache."),
  output_tokens: count('Generated tokens, thoughts among them.'),
  output_tokens_details: Type.Optional(Type.Object({ thinking_tokens: count('Tokens of thoughts.') })),
  cost: Type.Optional(usd('What was charged, in USD. Not in `message_start`.')),
});

const block = Type.Union(
  [
    Type.Object({ type: Type.Literal('text'), text: Type.String() }),
    Type.Object({ type: Type.Literal('thinking'), thinking: Type.String(), signature: Type.String() }),
    Type.Object({ type: Type.Literal('redacted_thinking'), data: Type.String() }),
    Type.Object({
      type: Type.Literal('tool_use'),
      id: Type.String(),
      name: Type.String(),
      input: Type.Record(Type.String(), Type.Unknown()),
      extra_content: Type.Optional(anything('What the provider wants back with the call. Repeat it.')),
    }),
  ],
  { description: 'A block of the answer.' },
);

const stopReason = orNull(
  words(['end_turn', 'max_tokens', 'tool_use', 'refusal'], 'Why the answer ends.'),
  'Why the answer ends; null while it goes on. A stop sequence is `end_turn`.',
);
const stopSequence = Type.Null({ description: 'Not told by the models behind this interface.' });

export const message = Type.Object({
  id: text('The id of the message.', 'msg_01940b5e7c1f7a3b9d2e5f60718293a4'),
  type: Type.Literal('message'),
  role: Type.Literal('assistant'),
  model: text('The model that was asked, by the id that the request has.'),
  content: Type.Array(block),
  stop_reason: stopReason,
  stop_sequence: stopSequence,
  usage,
});

const error = Type.Object({
  type: text('The category, in the words of this interface.', 'invalid_request_error'),
  message: text('For people; may change.'),
  code: text('For programs; never changes.', 'invalid_parameter'),
  param: Type.Optional(text('The parameter at fault.', 'messages[0].role')),
});

export const messageError = Type.Object({
  type: Type.Literal('error'),
  error,
  request_id: text('The id of this request.'),
});

const index = Type.Integer({ minimum: 0, description: 'Which block.' });
const event = <Name extends string>(type: Name, members: Parameters<typeof Type.Object>[0] = {}) =>
  Type.Object({ type: Type.Literal(type), ...members });

export const messageEvent = Type.Union(
  [
    event('message_start', { message: ref('Message') }),
    event('ping'),
    event('content_block_start', { index, content_block: block }),
    event('content_block_delta', {
      index,
      delta: Type.Union([
        event('text_delta', { text: Type.String() }),
        event('thinking_delta', { thinking: Type.String() }),
        event('signature_delta', { signature: Type.String() }),
        event('input_json_delta', { partial_json: Type.String() }),
      ]),
    }),
    event('content_block_stop', { index }),
    event('message_delta', {
      delta: Type.Object({ stop_reason: stopReason, stop_sequence: stopSequence }),
      usage,
    }),
    event('message_stop'),
    messageError,
  ],
  { description: 'The data of an event of a streamed message. The event is named after its type.' },
);

const usageExample = {
  input_tokens: 9,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
  output_tokens: 12,
  output_tokens_details: { thinking_tokens: 0 },
  cost: 0.000027,
};

export const messageExample = {
  id: 'msg_01940b5e7c1f7a3b9d2e5f60718293a4',
  type: 'message',
  role: 'assistant',
  model: 'demo/chat',
  content: [{ type: 'text', text: 'Hello! How can I help you today?' }],
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage: usageExample,
};

const line = (data: { type: string }) => `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;

export const messageStreamExample = [
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hello!' } },
  { type: 'content_block_stop', index: 0 },
  { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: usageExample },
  { type: 'message_stop' },
]
  .map(line)
  .join('');
