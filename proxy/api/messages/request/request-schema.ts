/**
 * The body of a Messages request: the parameters that are checked or translated. Nested values of several kinds are
 * checked where they are translated. Other fields are about Anthropic's own service and are ignored, except for those
 * that affect its prices (`unpriced-parameters.ts`).
 */
import { type Static, Type } from '@sinclair/typebox';
import {
  boolean,
  cacheControl,
  integer,
  listLimits,
  modelId,
  number,
  object,
  oneOf,
  optional,
  string,
} from '../../../nouns/requests/fields.ts';
import { routingParameters } from '../../../nouns/requests/routing.ts';

const stopSequencesMax = 4;

const turn = Type.Object(
  {
    role: oneOf(
      ['user', 'assistant', 'system'],
      'Who the turn is from: `user` is the end user, `assistant` the model, `system` gives instructions.',
    ),
    content: Type.Unknown({
      description: 'The content of the turn: a list of blocks, or a string, which is short for one text block.',
    }),
  },
  { description: 'One turn of the conversation.', expected: 'a message object' },
);

const outputFormat = Type.Object(
  {
    type: Type.Literal('json_schema', { description: 'Always `json_schema`, the only supported format.' }),
    schema: object('The JSON Schema that the output must match.'),
  },
  {
    description: 'Makes the output JSON that matches a schema, if the model supports it.',
    expected: 'an object with the type json_schema and a schema',
  },
);

export const messagesRequestSchema = Type.Object(
  {
    model: modelId('The id of a chat model of any provider, as listed by `GET /v1/models`.'),
    max_tokens: integer(
      { minimum: 1 },
      'The most tokens to generate, including thinking. Their price is held while the request runs; you pay for the ' +
        'tokens that are generated.',
    ),
    messages: Type.Array(turn, {
      minItems: 1,
      maxItems: listLimits.messages,
      description: 'The conversation so far, oldest turn first. Every turn counts as input tokens.',
      expected: `an array of 1 to ${listLimits.messages} messages`,
    }),
    system: Type.Optional(
      Type.Unknown({
        description: 'Instructions for the whole conversation: a string, or a list of text blocks.',
      }),
    ),
    stream: optional(
      boolean('Whether to stream the message as server-sent events while it is generated. Default false.'),
    ),
    stop_sequences: optional(
      Type.Array(Type.String(), {
        maxItems: stopSequencesMax,
        description: `Up to ${stopSequencesMax} sequences at which the model stops. The output does not include them.`,
        expected: `an array of up to ${stopSequencesMax} strings`,
      }),
    ),
    temperature: optional(
      number(
        { minimum: 0, maximum: 1 },
        'How random the output is: low values make it focused and repeatable, high values more varied. Most models ' +
          'default to 1. Change this or `top_p`, not both.',
      ),
    ),
    top_p: optional(
      number(
        { minimum: 0, maximum: 1 },
        'Nucleus sampling: the model samples only from the most likely tokens whose probabilities add up to this value, ' +
          'so 0.1 means the top 10%.',
      ),
    ),
    top_k: optional(
      integer({ minimum: 0 }, 'The model samples only from this many of the most likely tokens, if it supports that.'),
    ),
    tools: optional(
      Type.Array(object('A function with its `name`, its `description` and its `input_schema`, a JSON Schema.'), {
        maxItems: listLimits.tools,
        description:
          'The functions that the model may call, each with `name`, `description` and `input_schema`. You run them and send ' +
          'back the results. They count as input tokens. Tools that Anthropic would run are left out, and ' +
          '`x-gateway-removed-tools` names them; tools that Anthropic only defines are refused.',
        expected: `an array of up to ${listLimits.tools} tools`,
      }),
    ),
    tool_choice: optional(
      object(
        '`{"type": "auto"}` lets the model decide whether to call a tool, `any` makes it call at least one, `none` forbids ' +
          'it, and `{"type": "tool", "name": …}` makes it call one. `disable_parallel_tool_use: true` limits it to one call. ' +
          'Default `auto`.',
      ),
    ),
    thinking: optional(
      object(
        'How much the model thinks before it answers: `{"type": "enabled", "budget_tokens": …}` with 1024 tokens or more, ' +
          '`adaptive` to let the model decide, or `disabled`. You pay for thinking as output; it counts towards `max_tokens`.',
      ),
    ),
    // Not nullable: the error of a union could not name the member at fault.
    output_config: Type.Optional(
      Type.Object(
        {
          effort: optional(
            oneOf(
              ['low', 'medium', 'high', 'xhigh', 'max'],
              'How much effort the model puts into the whole response, including its thinking. Default `high` with ' +
                '`thinking`; without that, it does not make a Claude model think. Models of other vendors use it as their ' +
                'reasoning effort.',
            ),
          ),
          format: optional(outputFormat),
        },
        { description: 'The format of the output, and the effort spent on it.', expected: 'an object' },
      ),
    ),
    metadata: Type.Optional(
      Type.Object(
        {
          user_id: optional(
            string(
              'An identifier of your end user, passed on to the provider to detect abuse. Do not send personal data.',
            ),
          ),
        },
        { description: 'Information about the request.', expected: 'an object' },
      ),
    ),
    /** Marks the last block of the prompt. */
    cache_control: cacheControl('the last message'),
    mcp_servers: Type.Optional(
      Type.Unknown({ description: 'Not supported: the gateway calls no servers for the model.' }),
    ),
    container: Type.Optional(Type.Unknown({ description: 'Not supported: the gateway runs no code for the model.' })),
    ...routingParameters,
  },
  { description: 'A conversation, and how the model should continue it.' },
);

export type MessagesRequest = Static<typeof messagesRequestSchema>;
