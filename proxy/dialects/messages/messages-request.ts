/**
 * The body of a Messages request: the parameters that are judged or translated. What is nested and of several kinds is
 * read where it is translated. Other fields are about Anthropic's own service and are ignored, but for those that it bills
 * by (`unpriced-parameters.ts`).
 */
import { type Static, Type } from '@sinclair/typebox';
import { listLimits } from '../../request/list-limits.ts';
import { optional } from '../../request/optional.ts';

const string = Type.String({ description: 'a string' });
const object = Type.Record(Type.String(), Type.Unknown(), { description: 'an object' });
const stopSequencesMax = 4;

const turn = Type.Object(
  {
    role: Type.Union(
      ['user', 'assistant', 'system'].map((role) => Type.Literal(role)),
      { description: 'one of user, assistant, system' },
    ),
    content: Type.Unknown(),
  },
  { description: 'a message object' },
);

const outputFormat = Type.Object(
  { type: Type.Literal('json_schema'), schema: object },
  { description: 'an object with the type json_schema and a schema' },
);

const efforts = ['low', 'medium', 'high', 'xhigh', 'max'];
const effort = Type.Union(
  efforts.map((name) => Type.Literal(name)),
  { description: `one of ${efforts.join(', ')}` },
);

export const messagesRequestSchema = Type.Object({
  model: Type.String({ minLength: 1, description: 'the id of a model' }),
  max_tokens: Type.Integer({ minimum: 1, description: 'an integer of at least 1' }),
  messages: Type.Array(turn, {
    minItems: 1,
    maxItems: listLimits.messages,
    description: `an array of 1 to ${listLimits.messages} messages`,
  }),
  system: Type.Optional(Type.Unknown()),
  stream: optional(Type.Boolean({ description: 'a boolean' })),
  stop_sequences: optional(
    Type.Array(Type.String(), {
      maxItems: stopSequencesMax,
      description: `an array of up to ${stopSequencesMax} strings`,
    }),
  ),
  temperature: optional(Type.Number({ minimum: 0, maximum: 1, description: 'a number from 0 to 1' })),
  top_p: optional(Type.Number({ minimum: 0, maximum: 1, description: 'a number from 0 to 1' })),
  top_k: optional(Type.Integer({ minimum: 0, description: 'an integer of at least 0' })),
  tools: optional(
    Type.Array(object, { maxItems: listLimits.tools, description: `an array of up to ${listLimits.tools} tools` }),
  ),
  tool_choice: optional(object),
  thinking: optional(object),
  // Where null is not allowed, an error can name the member at fault.
  output_config: Type.Optional(
    Type.Object({ effort: optional(effort), format: optional(outputFormat) }, { description: 'an object' }),
  ),
  metadata: Type.Optional(Type.Object({ user_id: optional(string) }, { description: 'an object' })),
  /** Marks the last block of the prompt. */
  cache_control: optional(object),
  mcp_servers: Type.Optional(Type.Unknown()),
  container: Type.Optional(Type.Unknown()),
});

export type MessagesRequest = Static<typeof messagesRequestSchema>;
