/**
 * The body of a chat completion request: its parameters and their rules (interface §4.1), and what clients send beyond
 * them. Only what this gateway judges or translates is named; every other field is passed on as it came.
 */
import { type Static, Type } from '@sinclair/typebox';
import { listLimits } from './list-limits.ts';
import { optional } from './optional.ts';
import { samplingParameters } from './sampling.ts';

const string = Type.String({ description: 'a string' });
const boolean = Type.Boolean({ description: 'a boolean' });
const object = Type.Record(Type.String(), Type.Unknown(), { description: 'an object' });
const outputCap = Type.Integer({ minimum: 1, description: 'an integer of at least 1' });

/** `type` says which of the others is there: `text`, `image_url`, `input_audio`, `file`, or one of a provider's own. */
const contentPart = Type.Object(
  {
    type: string,
    text: optional(string),
    image_url: optional(
      Type.Object({ url: string, detail: optional(string) }, { description: 'an object with a url' }),
    ),
    input_audio: optional(
      Type.Object({ data: string, format: string }, { description: 'an object with data, format' }),
    ),
    file: optional(object),
    refusal: optional(string),
    /** Anthropic's mark of a prompt prefix to be cached; other providers do not see it. */
    cache_control: optional(object),
  },
  { description: 'a content part with a type' },
);

const toolCall = Type.Object(
  {
    id: optional(string),
    type: optional(string),
    function: optional(
      Type.Object({ name: string, arguments: optional(string) }, { description: 'an object with name and arguments' }),
    ),
    extra_content: optional(object),
  },
  { description: 'a tool call' },
);

const thinkingBlock = Type.Object(
  {
    type: Type.Union([Type.Literal('thinking'), Type.Literal('redacted_thinking')], {
      description: 'thinking or redacted_thinking',
    }),
    thinking: Type.Optional(string),
    signature: Type.Optional(string),
    data: Type.Optional(string),
  },
  { description: 'a thinking block' },
);

const message = Type.Object(
  {
    role: Type.Union(
      ['system', 'developer', 'user', 'assistant', 'tool', 'function'].map((role) => Type.Literal(role)),
      { description: 'one of system, developer, user, assistant, tool' },
    ),
    content: Type.Optional(
      Type.Union([Type.String(), Type.Null(), Type.Array(contentPart, { maxItems: listLimits.contentParts })], {
        description: `a string or an array of up to ${listLimits.contentParts} content parts`,
      }),
    ),
    name: optional(string),
    refusal: optional(string),
    reasoning_content: optional(string),
    tool_calls: optional(
      Type.Array(toolCall, {
        maxItems: listLimits.toolCalls,
        description: `an array of up to ${listLimits.toolCalls} tool calls`,
      }),
    ),
    tool_call_id: optional(string),
    /** Anthropic's signed thoughts, sent back as they came. */
    thinking_blocks: optional(
      Type.Array(thinkingBlock, {
        maxItems: listLimits.toolCalls,
        description: `an array of up to ${listLimits.toolCalls} thinking blocks`,
      }),
    ),
    cache_control: optional(object),
  },
  { description: 'a message object' },
);

const tool = Type.Object(
  {
    type: string,
    function: optional(
      Type.Object(
        { name: string, description: optional(string), parameters: optional(object), strict: optional(boolean) },
        { description: 'an object with a name' },
      ),
    ),
    cache_control: optional(object),
  },
  { description: 'a tool with a type' },
);

const toolChoice = Type.Union(
  [string, Type.Object({ type: string, function: optional(Type.Object({ name: string })) })],
  { description: 'none, auto, required or an object that names a function' },
);

const responseFormat = Type.Object(
  {
    type: string,
    json_schema: optional(
      Type.Object(
        { name: optional(string), schema: optional(object), strict: optional(boolean) },
        { description: 'an object with name and schema' },
      ),
    ),
  },
  { description: 'an object with a type' },
);

export const chatRequestSchema = Type.Object({
  model: Type.String({ minLength: 1, description: 'the id of a model' }),
  messages: Type.Array(message, {
    minItems: 1,
    maxItems: listLimits.messages,
    description: `an array of 1 to ${listLimits.messages} messages`,
  }),
  ...samplingParameters,
  max_tokens: optional(outputCap),
  max_completion_tokens: optional(outputCap),
  logprobs: optional(boolean),
  top_logprobs: optional(Type.Integer({ minimum: 0, maximum: 20, description: 'an integer from 0 to 20' })),
  logit_bias: optional(object),
  tools: optional(
    Type.Array(tool, { maxItems: listLimits.tools, description: `an array of up to ${listLimits.tools} tools` }),
  ),
  tool_choice: optional(toolChoice),
  parallel_tool_calls: optional(boolean),
  response_format: optional(responseFormat),
  reasoning_effort: optional(string),
  reasoning: optional(
    Type.Object({ effort: optional(string), max_tokens: optional(outputCap) }, { description: 'an object' }),
  ),
});

export type ChatRequest = Static<typeof chatRequestSchema>;
export type ChatMessage = ChatRequest['messages'][number];
export type ChatContentPart = Static<typeof contentPart>;
export type ChatToolCall = Static<typeof toolCall>;
export type ChatTool = Static<typeof tool>;
