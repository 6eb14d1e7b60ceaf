/**
 * The body of a Responses request, as OpenAI's own client types it. It names the members that the gateway translates,
 * echoes or refuses. Those of unknown type are checked part by part elsewhere, so that an error can name the part.
 */
import { type Static, Type } from '@sinclair/typebox';
import type { Call, ChatCall } from '../call.ts';
import { boolean, integer, listLimits, modelId, object, oneOf, optional, serviceTier, string } from './fields.ts';
import { routingParameters } from './routing.ts';
import { samplingParameters } from './sampling.ts';

const stateless = (instead: string) => `Not supported: the gateway stores nothing between requests. ${instead}`;
const wholeConversation = stateless('Send the whole conversation as `input`.');

/** Each tool is checked by its type when it is read. */
export const toolList = (description: string) =>
  Type.Array(Type.Unknown(), {
    maxItems: listLimits.tools,
    description,
    expected: `an array of up to ${listLimits.tools} tools`,
  });

export const reasoningSettings = Type.Object(
  {
    effort: optional(
      oneOf(
        ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'],
        "How much the model reasons before it answers. You pay for reasoning as output. Default: the model's own.",
      ),
    ),
    summary: optional(
      oneOf(
        ['auto', 'concise', 'detailed'],
        'Accepted for compatibility and repeated in the response. The model decides whether to summarize its reasoning.',
      ),
    ),
  },
  { expected: 'an object with effort and summary' },
);

export const textSettings = Type.Object(
  {
    format: Type.Optional(
      Type.Unknown({
        description:
          'The format of the output: plain text, any JSON object, or JSON that matches a schema, if the model supports it. ' +
          'Default: text.',
      }),
    ),
    verbosity: optional(
      oneOf(
        ['low', 'medium', 'high'],
        "How long the output should be, for models that support this. Default: the model's own.",
      ),
    ),
  },
  { expected: 'an object with format and verbosity' },
);

export const responsesRequestSchema = Type.Object(
  {
    model: modelId('The id of a chat model of any provider, as listed by `GET /v1/models`.'),
    input: Type.Union([Type.String(), Type.Array(Type.Unknown(), { maxItems: listLimits.messages })], {
      description:
        'A user message as a string, or the conversation so far as a list of items, oldest first. The gateway stores ' +
        'nothing between requests, so send all of it each time; all of it counts as input tokens.',
      expected: `a string or an array of up to ${listLimits.messages} items`,
    }),
    instructions: optional(string('A system message to insert before the conversation.')),
    max_output_tokens: optional(
      integer(
        { minimum: 1 },
        'The most tokens to generate, including reasoning. Their price is held while the request runs; you pay for the ' +
          "tokens that are generated. Default: the model's own limit, or less if the balance covers less.",
      ),
    ),
    max_tool_calls: optional(
      integer(
        { minimum: 1 },
        'How often the provider may search the web, where the model has a price for it. Default 5, at most 50.',
      ),
    ),
    temperature: samplingParameters.temperature,
    top_p: samplingParameters.top_p,
    top_logprobs: optional(
      integer(
        { minimum: 0, maximum: 20 },
        'Only 0 is supported. Log probabilities are available from `/v1/chat/completions`.',
      ),
    ),
    tools: optional(
      toolList(
        'The tools that the model may call: functions, custom tools, namespaces of both, and a search for more of them. You ' +
          'run them and send back the results. They count as input tokens. `web_search` lets the provider ' +
          'search the web, where the model has a price for it. Other tools that the provider would run are left out, and ' +
          '`x-gateway-removed-tools` names them.',
      ),
    ),
    tool_choice: Type.Optional(
      Type.Unknown({
        description:
          '`auto` lets the model decide whether to call a tool, `required` makes it call at least one, `none` forbids it; an ' +
          'object makes it call one tool, or limits it to some of `tools`. Default `auto`.',
      }),
    ),
    parallel_tool_calls: optional(
      boolean('Whether one response may call several tools. Default true, if the model supports it.'),
    ),
    text: Type.Optional(Type.Unknown({ description: 'The format and the length of the output.' })),
    reasoning: Type.Optional(Type.Unknown({ description: 'How much the model reasons before it answers.' })),
    include: optional(
      Type.Array(Type.String({ expected: 'a string' }), {
        maxItems: listLimits.names,
        description:
          '`reasoning.encrypted_content` adds the encrypted reasoning to the response, to be sent back with the next turn. ' +
          'Values about tools that the provider runs have an effect where it runs them.',
        expected: 'an array of strings',
      }),
    ),
    metadata: optional(
      Type.Record(Type.String(), Type.String(), {
        description:
          'Your own keys and values, repeated in the response and not passed on. Only what your organization attributes usage to is stored.',
        expected: 'an object of strings',
      }),
    ),
    client_metadata: optional(
      object('Accepted for compatibility. Only a provider with the Responses API of its own gets it.'),
    ),
    service_tier: serviceTier,
    ...routingParameters,
    user: optional(
      string('An identifier of your end user, passed on to the provider to detect abuse. Do not send personal data.'),
    ),
    safety_identifier: optional(string('The newer name of `user`, passed on to the provider.')),
    prompt_cache_key: optional(
      string(
        "Groups requests that begin the same, to improve the provider's cache hit rate. Passed on to the provider.",
      ),
    ),
    stream: optional(
      boolean('Whether to stream the response as server-sent events while it is generated. Default false.'),
    ),
    stream_options: optional(
      object('Accepted for compatibility and ignored: the last event always has the usage and the cost.'),
    ),
    truncation: optional(
      oneOf(
        ['auto', 'disabled'],
        'Accepted for compatibility. Nothing is truncated: a conversation that is too long for the model is refused.',
      ),
    ),
    store: optional(boolean('Accepted for compatibility and ignored: the gateway stores no responses.')),
    background: optional(boolean('Only false is supported: responses are generated while the client waits.')),
    previous_response_id: optional(string(wholeConversation)),
    conversation: Type.Optional(Type.Unknown({ description: wholeConversation })),
    prompt: Type.Optional(
      Type.Unknown({ description: stateless('Send the prompt itself as `instructions` and `input`.') }),
    ),
    context_management: optional(
      Type.Array(Type.Unknown(), {
        description: 'Not supported: shorten the conversation before you send it.',
        expected: 'an array',
      }),
    ),
    moderation: Type.Optional(
      Type.Unknown({ description: 'Not supported: the gateway does not moderate; providers may refuse to answer.' }),
    ),
  },
  { description: 'A conversation, and how the model should continue it.' },
);

export type TextSettings = Static<typeof textSettings>;
export type ReasoningSettings = Static<typeof reasoningSettings>;

export type ResponsesRequest = Static<typeof responsesRequestSchema>;

export interface SentResponsesRequest {
  readonly request: ResponsesRequest;
  /** The request as JSON, as the client sent it. */
  readonly source: string;
}

/** Of the endpoint for responses. A provider that has one too is sent the request as it came. */
export interface ResponsesCall extends ChatCall {
  readonly settings: SentResponsesRequest;
}

export function isResponsesCall(call: Call): call is ResponsesCall {
  return 'settings' in call;
}

/** A tool, input item or content part whose `type` is not checked yet. */
export const typed = Type.Object(
  { type: Type.String({ expected: 'a string' }) },
  { expected: 'an object with a type' },
);

export const jsonSchemaFormat = Type.Object({
  type: Type.Literal('json_schema', { description: 'Always `json_schema` here.' }),
  name: string('A name for the schema, which the model may see.'),
  schema: object('The JSON Schema that the output must match.'),
  description: Type.Optional(string('What the output is for. The model may see it.')),
  strict: optional(boolean('Whether the output must match the schema exactly. Default false.')),
});

export type JsonSchemaFormat = Static<typeof jsonSchemaFormat>;
