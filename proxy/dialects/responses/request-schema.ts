/**
 * The body of a Responses request, as OpenAI's own client types it. Named is what this gateway translates, echoes or
 * has to refuse; What is unknown here is looked at piece by piece elsewhere, so that an error can name the piece.
 */
import { type Static, Type } from '@sinclair/typebox';
import { listLimits } from '../../request/list-limits.ts';
import { optional } from '../../request/optional.ts';

const string = Type.String({ description: 'a string' });
const boolean = Type.Boolean({ description: 'a boolean' });
const object = Type.Record(Type.String(), Type.Unknown(), { description: 'an object' });
const count = Type.Integer({ minimum: 1, description: 'an integer of at least 1' });

const oneOf = <Value extends string>(...values: readonly Value[]) =>
  Type.Union(
    values.map((value) => Type.Literal(value)),
    { description: `one of ${values.join(', ')}` },
  );

export const reasoningSettings = Type.Object(
  {
    effort: optional(oneOf('none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max')),
    summary: optional(oneOf('auto', 'concise', 'detailed')),
  },
  { description: 'an object with effort and summary' },
);

export const textSettings = Type.Object(
  {
    format: Type.Optional(Type.Unknown()),
    verbosity: optional(oneOf('low', 'medium', 'high')),
  },
  { description: 'an object with format and verbosity' },
);

const toolList = Type.Array(Type.Unknown(), {
  maxItems: listLimits.tools,
  description: `an array of up to ${listLimits.tools} tools`,
});

export const responsesRequestSchema = Type.Object({
  model: Type.String({ minLength: 1, description: 'the id of a model' }),
  input: Type.Union([Type.String(), Type.Array(Type.Unknown(), { maxItems: listLimits.messages })], {
    description: `a string or an array of up to ${listLimits.messages} items`,
  }),
  instructions: optional(string),
  max_output_tokens: optional(count),
  max_tool_calls: optional(count),
  temperature: optional(Type.Number({ minimum: 0, maximum: 2, description: 'a number from 0 to 2' })),
  top_p: optional(Type.Number({ minimum: 0, maximum: 1, description: 'a number from 0 to 1' })),
  top_logprobs: optional(Type.Integer({ minimum: 0, maximum: 20, description: 'an integer from 0 to 20' })),
  tools: optional(toolList),
  tool_choice: Type.Optional(Type.Unknown()),
  parallel_tool_calls: optional(boolean),
  text: Type.Optional(Type.Unknown()),
  reasoning: Type.Optional(Type.Unknown()),
  include: optional(Type.Array(string, { maxItems: listLimits.names, description: 'an array of strings' })),
  metadata: optional(Type.Record(Type.String(), Type.String(), { description: 'an object of strings' })),
  user: optional(string),
  safety_identifier: optional(string),
  prompt_cache_key: optional(string),
  stream: optional(boolean),
  stream_options: optional(object),
  truncation: optional(oneOf('auto', 'disabled')),
  store: optional(boolean),
  background: optional(boolean),
  previous_response_id: optional(string),
  conversation: Type.Optional(Type.Unknown()),
  prompt: Type.Optional(Type.Unknown()),
  context_management: optional(Type.Array(Type.Unknown(), { description: 'an array' })),
  moderation: Type.Optional(Type.Unknown()),
});

export type TextSettings = Static<typeof textSettings>;
export type ReasoningSettings = Static<typeof reasoningSettings>;

export type ResponsesRequest = Static<typeof responsesRequestSchema>;

/** What a tool or an item of the input is, before it is known which. */
export const typed = Type.Object({ type: string }, { description: 'an object with a type' });

export const functionTool = Type.Object({
  type: Type.Literal('function'),
  name: string,
  description: optional(string),
  parameters: optional(object),
  strict: optional(boolean),
});

export type FunctionToolParam = Static<typeof functionTool>;

export const namedFunction = Type.Object({ type: Type.Literal('function'), name: string });

export const allowedTools = Type.Object({
  type: Type.Literal('allowed_tools'),
  mode: oneOf('auto', 'required'),
  tools: toolList,
});

export const jsonSchemaFormat = Type.Object({
  type: Type.Literal('json_schema'),
  name: string,
  schema: object,
  description: Type.Optional(string),
  strict: optional(boolean),
});

export type JsonSchemaFormat = Static<typeof jsonSchemaFormat>;
