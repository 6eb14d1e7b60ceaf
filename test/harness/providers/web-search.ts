/** Answers of providers that search the web: Anthropic's messages and OpenAI's responses, with any number of searches. */
import { framed, type TypedEvent, typedEventsResponse } from './completions.ts';
import { type Behaviour, eventStream, rawResponse } from './scripted-provider.ts';

export interface Searched {
  /** What was searched for, in turn. */
  readonly queries: readonly string[];
  /** The last searches, which failed: Anthropic reports an error, OpenAI a status. */
  readonly failed?: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Left out of the usage, or reported as something else. Only by Anthropic. */
  readonly reported?: unknown;
  /** Without any usage. Only by OpenAI. */
  readonly reportsNothing?: boolean;
}

export const said = 'Perm has 1,034,000 inhabitants.';
export const source = { url: 'https://example.com/perm', title: 'Perm' };
/** As Anthropic writes it. */
export const citation = {
  type: 'web_search_result_location',
  ...source,
  encrypted_index: 'aW5kZXg',
  cited_text: 'inhabitants: 1,034,000',
};

function blocksOf({ queries, failed = 0 }: Searched): { readonly block: object; readonly deltas: object[] }[] {
  const searches = queries.flatMap((query, index) => {
    const id = `srvtoolu_${index}`;
    const hasFailed = index >= queries.length - failed;
    const found = [{ type: 'web_search_result', ...source, encrypted_content: 'Y29udGVudA', page_age: null }];
    const content = hasFailed ? { type: 'web_search_tool_result_error', error_code: 'unavailable' } : found;
    return [
      {
        block: { type: 'server_tool_use', id, name: 'web_search', input: {} },
        deltas: [
          { type: 'input_json_delta', partial_json: '{"query":' },
          { type: 'input_json_delta', partial_json: `${JSON.stringify(query)}}` },
        ],
      },
      { block: { type: 'web_search_tool_result', tool_use_id: id, content }, deltas: [] },
    ];
  });
  return [
    { block: { type: 'text', text: '' }, deltas: [{ type: 'text_delta', text: 'I will look. ' }] },
    ...searches,
    {
      block: { type: 'text', text: '', citations: [] },
      deltas: [
        { type: 'citations_delta', citation },
        { type: 'text_delta', text: said.slice(0, 8) },
        { type: 'text_delta', text: said.slice(8) },
      ],
    },
    { block: { type: 'text', text: '' }, deltas: [{ type: 'text_delta', text: ' That is all.' }] },
  ];
}

function anthropicUsage(searched: Searched): object {
  const { queries, failed = 0, inputTokens, outputTokens } = searched;
  const counted = 'reported' in searched ? searched.reported : { web_search_requests: queries.length - failed };
  return {
    input_tokens: inputTokens,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
    output_tokens: outputTokens,
    ...(counted !== undefined && { server_tool_use: counted }),
  };
}

/** The events of a streamed message. */
export function searchedEvents(searched: Searched): TypedEvent[] {
  // The prompt alone: what the searches add is counted at the end.
  const usage = { ...anthropicUsage({ ...searched, reported: undefined }), input_tokens: 10, output_tokens: 1 };
  const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'claude-x', content: [], usage };
  return [
    { type: 'message_start', message },
    ...blocksOf(searched).flatMap(({ block, deltas }, index) => [
      { type: 'content_block_start', index, content_block: block },
      ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
      { type: 'content_block_stop', index },
    ]),
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: anthropicUsage(searched) },
    { type: 'message_stop' },
  ];
}

/** A message, streamed or whole as it is requested. */
export function searchedMessage(searched: Searched): Behaviour {
  const streamed = typedEventsResponse(searchedEvents(searched));
  const content = blocksOf(searched).map(({ block, deltas }) => wholeBlock(block, deltas));
  const usage = anthropicUsage(searched);
  const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'claude-x', content };
  const whole = rawResponse(JSON.stringify({ ...message, stop_reason: 'end_turn', stop_sequence: null, usage }));
  return (truth, request) => (truth.body.stream === true ? streamed : whole)(truth, request);
}

interface AnyDelta {
  readonly text?: string;
  readonly partial_json?: string;
  readonly citation?: object;
}

function wholeBlock(block: object, deltas: readonly AnyDelta[]): object {
  const textOf = (read: (delta: AnyDelta) => string | undefined) => deltas.map((delta) => read(delta) ?? '').join('');
  const [text, json] = [textOf((delta) => delta.text), textOf((delta) => delta.partial_json)];
  const citations = deltas.flatMap((delta) => delta.citation ?? []);
  return {
    ...block,
    ...(text !== '' && { text }),
    ...(json !== '' && { input: JSON.parse(json) }),
    ...(citations.length > 0 && { citations }),
  };
}

/** The items of a response: the searches, the page that one of them opens, and what is said. */
export function searchedItems({ queries, failed = 0 }: Searched): object[] {
  const annotation = { type: 'url_citation', ...source, start_index: 0, end_index: said.length };
  return [
    ...queries.map((query, index) => ({
      id: `ws_${index}`,
      type: 'web_search_call',
      status: index >= queries.length - failed ? 'failed' : 'completed',
      action: { type: 'search', query },
    })),
    { id: 'ws_o', type: 'web_search_call', status: 'completed', action: { type: 'open_page', url: source.url } },
    {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_text', text: said, annotations: [annotation], logprobs: [] }],
    },
  ];
}

/** A response, streamed or whole as it is requested. */
export function searchedResponse(searched: Searched): Behaviour {
  const { inputTokens, outputTokens } = searched;
  const usage = {
    input_tokens: inputTokens,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: outputTokens,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: inputTokens + outputTokens,
  };
  const head = { id: 'resp_1', object: 'response', created_at: 1_790_000_000, model: 'upstream', error: null };
  const output = searchedItems(searched);
  const reported = searched.reportsNothing ? {} : { usage };
  const completed = { ...head, status: 'completed', incomplete_details: null, output, ...reported };
  const events: TypedEvent[] = [
    { type: 'response.created', response: { ...head, status: 'in_progress', output: [], usage: null } },
    ...output.flatMap((item, output_index) => [
      { type: 'response.output_item.added', output_index, item: { ...item, status: 'in_progress', content: [] } },
      { type: 'response.output_item.done', output_index, item },
    ]),
    { type: 'response.completed', response: completed },
  ];
  const numbered = events.map((event, sequence_number) => ({ ...event, sequence_number }));
  const streamed = rawResponse(framed(numbered), eventStream);
  const whole = rawResponse(JSON.stringify(completed));
  return (truth, request) => (truth.body.stream === true ? streamed : whole)(truth, request);
}
