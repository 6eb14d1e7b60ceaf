/** Schemas of a response, whole and as events. The dialect writes their types. */
import { type TProperties, Type } from '@sinclair/typebox';
import {
  always,
  anything,
  count,
  members,
  orNull,
  ref,
  tag,
  text,
  unixTime,
  usd,
  words,
} from '../document/schema-parts.ts';
import { noLogprobs, part, type ResponseItem, summaryPart, urlCitation } from './output-item-schemas.ts';

const usage = Type.Object(
  {
    input_tokens: count('Tokens of the input, including those read from or written to a cache.'),
    input_tokens_details: Type.Object(
      {
        cached_tokens: count("Read from the provider's cache, at the model's `cached_prompt` price."),
        cache_write_tokens: count("Written to the provider's cache, at the model's `cache_write` price."),
      },
      { description: 'The input tokens that have a price of their own.' },
    ),
    output_tokens: count('Generated tokens, including reasoning.'),
    output_tokens_details: Type.Object(
      { reasoning_tokens: count("Generated as reasoning, at the model's `reasoning` price.") },
      { description: 'The generated tokens that have a price of their own.' },
    ),
    total_tokens: count('Input and generated tokens together.'),
    cost: usd('The cost of the request in USD. It has been charged.'),
  },
  { description: 'The tokens that were used, and their cost.' },
);

const asRequested = <const Name extends string>(...names: Name[]) =>
  members(names, (name) => anything(`The \`${name}\` of the request, or its default.`));

export const response = Type.Object(
  {
    id: text('The id of the response. Nothing is stored under it.', 'resp_01940b5e7c1f7a3b9d2e5f60718293a4'),
    object: always('response'),
    created_at: unixTime,
    completed_at: orNull(
      Type.Integer(),
      'When the response was completed, as a Unix time in seconds; null if it is not complete.',
    ),
    status: words(
      ['in_progress', 'completed', 'incomplete', 'failed'],
      'The state of the response. `incomplete` means that it was cut off; `incomplete_details` says why.',
    ),
    error: orNull(
      Type.Object({
        code: text('The error, for programs: always `server_error`.'),
        message: text('What went wrong, for humans.'),
      }),
      'Why the response failed; null if it did not.',
    ),
    incomplete_details: orNull(
      Type.Object({
        reason: words(
          ['max_output_tokens', 'content_filter'],
          "What cut it off: the token limit, or the provider's content filter.",
        ),
      }),
      'Why the response was cut off; null if it was not.',
    ),
    output: Type.Array(ref<ResponseItem>('ResponseOutputItem'), {
      description: 'What the model generated, in order. Append it to `input` to continue the conversation.',
    }),
    usage: orNull(usage, 'The tokens that were used, and their cost; null until the end.'),
    ...asRequested(
      ...(['model', 'instructions', 'max_output_tokens', 'max_tool_calls', 'metadata', 'parallel_tool_calls'] as const),
      ...(['temperature', 'top_p', 'top_logprobs', 'tool_choice', 'tools', 'text', 'reasoning', 'truncation'] as const),
      ...(['store', 'background', 'previous_response_id', 'prompt_cache_key', 'safety_identifier'] as const),
    ),
    user: Type.Optional(asRequested('user').user),
  },
  { description: "The model's response." },
);

const position = (description: string) => Type.Integer({ description });
const outputIndex = position('The index of the item in `output`.');
const sequenceNumber = position('The number of the event in the stream, from 0.');
const place = { item_id: text('The id of the item.'), output_index: outputIndex };
const inContent = { ...place, content_index: position('The index of the part in the `content` of the item.') };
const inSummary = { ...place, summary_index: position('The index of the part in the `summary` of the item.') };
/** `meaning` completes "`type`: …". */
const event = <const Name extends string, Members extends TProperties>(
  types: readonly Name[],
  meaning: string,
  members: Members,
) => {
  const names = types.map((type) => `response.${type}` as const);
  return Type.Object({
    type: words(names, `${names.map((name) => `\`${name}\``).join(', ')}: ${meaning}`),
    sequence_number: sequenceNumber,
    ...members,
  });
};
const logprobs = Type.Optional(noLogprobs);
const partOfItem = { ...part, description: 'The part as it is now: empty at first, complete at the end.' };
const summaryOfItem = { ...summaryPart, description: 'The part as it is now: empty at first, complete at the end.' };

export const responseEvent = Type.Union(
  [
    event(['created', 'in_progress', 'completed', 'incomplete', 'failed'], 'the response begins or ends.', {
      response: ref<Response>('Response'),
    }),
    event(['output_item.added', 'output_item.done'], 'an item begins or is complete.', {
      output_index: outputIndex,
      item: ref<ResponseItem>('ResponseOutputItem'),
    }),
    event(['content_part.added', 'content_part.done'], 'a part of a message begins or is complete.', {
      ...inContent,
      part: partOfItem,
    }),
    event(['output_text.delta', 'refusal.delta'], 'the next chunk of a part.', {
      ...inContent,
      delta: text('The next chunk of the text or the refusal.'),
      logprobs,
    }),
    event(['output_text.done'], 'a text is complete.', {
      ...inContent,
      text: text('The whole text of the part.'),
      logprobs,
    }),
    event(['output_text.annotation.added'], 'a part of the text is cited from a page.', {
      ...inContent,
      annotation_index: position('The index of the citation in the `annotations` of the part.'),
      annotation: urlCitation,
    }),
    event(
      ['web_search_call.in_progress', 'web_search_call.searching', 'web_search_call.completed'],
      'the provider searches the web.',
      place,
    ),
    event(['refusal.done'], 'a refusal is complete.', { ...inContent, refusal: text('The whole refusal.') }),
    event(
      ['reasoning_summary_part.added', 'reasoning_summary_part.done'],
      'a part of the reasoning begins or is complete.',
      {
        ...inSummary,
        part: summaryOfItem,
      },
    ),
    event(['reasoning_summary_text.delta'], 'the next chunk of the reasoning.', {
      ...inSummary,
      delta: text('The next chunk of the reasoning.'),
      logprobs,
    }),
    event(['reasoning_summary_text.done'], 'a part of the reasoning is complete.', {
      ...inSummary,
      text: text('The whole text of the part.'),
      logprobs,
    }),
    event(['function_call_arguments.delta'], 'the next chunk of the arguments of a call.', {
      ...place,
      delta: text('The next chunk of the arguments. Join the chunks, then parse the JSON.'),
    }),
    event(['function_call_arguments.done'], 'the arguments of a call are complete.', {
      ...place,
      name: Type.Optional(text('The name of the function.')),
      arguments: text('The complete arguments, as a JSON string.'),
    }),
    event(['custom_tool_call_input.delta'], 'the next chunk of the input of a custom tool.', {
      ...place,
      delta: text('The next chunk of the input.'),
    }),
    event(['custom_tool_call_input.done'], 'the input of a custom tool is complete.', {
      ...place,
      input: text('The complete input.'),
    }),
    Type.Object({
      type: tag('error', 'the stream failed.'),
      sequence_number: sequenceNumber,
      code: orNull(Type.String(), 'The error, for programs: one of the codes listed with each status.'),
      message: text('What went wrong and what to do about it, for humans. The wording may change.'),
      param: orNull(Type.String(), 'The parameter at fault, as a path into the request body; null if there is none.'),
    }),
  ],
  { description: 'The data of one event of a streamed response. The event is named after its `type`.' },
);

export type Response = typeof response.static;
export type ResponseEvent = typeof responseEvent.static;

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
