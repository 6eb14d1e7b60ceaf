/** Schemas of a message, whole and as events, and of the errors in this API format. The dialect writes their types. */
import { type TProperties, Type } from '@sinclair/typebox';
import { always, anything, count, orNull, ref, tag, text, usd, words } from '../document/schema-parts.ts';
import { webSearchUsage } from '../document/usage-schemas.ts';

const usage = Type.Object(
  {
    input_tokens: count('Tokens of the prompt, without those read from or written to a cache.'),
    cache_creation_input_tokens: count(
      "Prompt tokens written to the provider's cache, at the model's `cache_write` and `cache_write_1h` prices.",
    ),
    cache_creation: Type.Optional(
      Type.Object(
        {
          ephemeral_5m_input_tokens: count("Written for five minutes, at the model's `cache_write` price."),
          ephemeral_1h_input_tokens: count("Written for an hour, at the model's `cache_write_1h` price."),
        },
        {
          description:
            'The tokens of `cache_creation_input_tokens` by how long the cache keeps them. Left out if there are none.',
        },
      ),
    ),
    cache_read_input_tokens: count(
      "Prompt tokens read from the provider's cache, at the model's `cached_prompt` price.",
    ),
    output_tokens: count('Generated tokens, including thinking.'),
    output_tokens_details: Type.Optional(
      Type.Object(
        { thinking_tokens: count("Generated as thinking, at the model's `reasoning` price.") },
        { description: 'The generated tokens that have a price of their own.' },
      ),
    ),
    server_tool_use: Type.Optional(webSearchUsage),
    cost: Type.Optional(usd('The cost of the request in USD. It has been charged. Not in `message_start`.')),
  },
  { description: 'The tokens that were used, and their cost. In `message_start` all counts are 0.' },
);

const block = Type.Union(
  [
    Type.Object({
      type: tag('text', 'text that the model generated.'),
      text: text('The text of the block.'),
      citations: Type.Optional(
        Type.Array(Type.Unknown(), {
          description: 'What the text is cited from, in the form of the provider, if it has searched the web.',
        }),
      ),
    }),
    Type.Object({
      type: tag('server_tool_use', 'a search of the web by the provider.'),
      id: text('The id of the search.'),
      name: text('The tool of the provider: `web_search`.'),
      input: anything('What was searched for, as an object with a `query`. `{}` at the start of a stream.'),
    }),
    Type.Object({
      type: tag('web_search_tool_result', 'what a search has found. Send it back unchanged with the next turn.'),
      tool_use_id: text('The id of the search.'),
      content: anything('A list of results, or an error.'),
    }),
    Type.Object({
      type: tag('thinking', "the model's thinking."),
      thinking: text('The text of the thinking.'),
      signature: text(
        'Proves to the provider that its model generated the block. Send it back unchanged with the next turn.',
      ),
    }),
    Type.Object({
      type: tag('redacted_thinking', "the model's thinking, encrypted."),
      data: text('The encrypted thinking. Send it back unchanged with the next turn.'),
    }),
    Type.Object({
      type: tag('tool_use', 'a function call for you to run.'),
      id: text('The id of the call. Send it back as `tool_use_id` with the result.'),
      name: text('The name of the function to call.'),
      input: Type.Record(Type.String(), Type.Unknown(), {
        description:
          'The arguments. The model generates them, so validate them before you use them. `{}` at the start of a stream.',
      }),
      extra_content: Type.Optional(
        anything(
          "Data that the provider needs back with the call, such as Gemini's thought signature. Send it unchanged.",
        ),
      ),
    }),
  ],
  { description: 'One block of the message, by its `type`.' },
);

const stopReason = orNull(
  words(['end_turn', 'max_tokens', 'tool_use', 'refusal', 'pause_turn'], 'Why the model stopped.'),
  'Why the model stopped: `end_turn` for a natural end or a stop sequence, `max_tokens` for the token limit, `tool_use` ' +
    'if the model called functions, `refusal` if the model or its provider declined, `pause_turn` if its provider has ' +
    'searched the web for long: send the message back to have it continued. Null until then.',
);
const stopSequence = Type.Null({
  description: 'Always null: a message that ended at a stop sequence has the `stop_reason` `end_turn`.',
});

export const message = Type.Object(
  {
    id: text('The id of the message. Nothing is stored under it.', 'msg_01940b5e7c1f7a3b9d2e5f60718293a4'),
    type: always('message'),
    role: always('assistant'),
    model: text('The model that you requested.'),
    content: Type.Array(block, {
      description: 'The content blocks: text, thinking and tool calls, in the order they were generated.',
    }),
    stop_reason: stopReason,
    stop_sequence: stopSequence,
    usage,
  },
  { description: 'A message that the model generated.' },
);

const error = Type.Object(
  {
    type: text("The category of the error, as Anthropic's API names it.", 'invalid_request_error'),
    message: text('What went wrong and what to do about it, for humans. The wording may change.'),
    code: text(
      'The error, for programs: one of the codes listed with each status. Codes never change.',
      'invalid_parameter',
    ),
    param: Type.Optional(text('The parameter at fault, as a path into the request body.', 'messages[0].role')),
  },
  { description: 'What went wrong.' },
);

export const messageError = Type.Object(
  {
    type: tag('error', 'the request failed.'),
    error,
    request_id: text('The id of the request. Give it to support if you need help.'),
  },
  { description: "An error in Anthropic's format." },
);

const index = Type.Integer({ minimum: 0, description: 'The index of the block in `content`.' });
const event = <const Name extends string, Members extends TProperties>(type: Name, meaning: string, members: Members) =>
  Type.Object({ type: tag(type, meaning), ...members });

export const messageEvent = Type.Union(
  [
    event('message_start', 'the message begins.', { message: ref<Message>('Message') }),
    event('ping', 'keeps the connection alive.', {}),
    event('content_block_start', 'an empty block begins.', { index, content_block: block }),
    event('content_block_delta', 'the next chunk of a block.', {
      index,
      delta: Type.Union(
        [
          event('text_delta', 'a chunk of text.', { text: text('The next chunk of the text.') }),
          event('citations_delta', 'what the text is cited from.', {
            citation: anything('The citation, in the form of the provider.'),
          }),
          event('thinking_delta', 'a chunk of thinking.', { thinking: text('The next chunk of the thinking.') }),
          event('signature_delta', 'the end of a thinking block.', { signature: text('The signature of the block.') }),
          event('input_json_delta', 'a chunk of the arguments of a call.', {
            partial_json: text('The next chunk of the arguments. Join the chunks, then parse the JSON.'),
          }),
        ],
        { description: 'The chunk to append to the block.' },
      ),
    }),
    event('content_block_stop', 'a block is complete.', { index }),
    event('message_delta', 'the message ends.', {
      delta: Type.Object(
        { stop_reason: stopReason, stop_sequence: stopSequence },
        { description: 'The final values of these fields of the message.' },
      ),
      usage,
    }),
    event('message_stop', 'the last event of a successful stream.', {}),
    messageError,
  ],
  { description: 'The data of one event of a streamed message. The event is named after its `type`.' },
);

export type MessageUsage = typeof usage.static;
export type MessageBlock = typeof block.static;
export type Message = typeof message.static;
export type MessageError = typeof messageError.static;
export type MessageEvent = typeof messageEvent.static;

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
