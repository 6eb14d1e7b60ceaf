/**
 * The body of a Messages request: the parameters that are judged or translated. What is nested and of several kinds is
 * read where it is translated. Other fields are about Anthropic's own service and are ignored, but for those that it bills
 * by (`unpriced-parameters.ts`).
 */
import { type Static, Type } from '@sinclair/typebox';
import { boolean, cacheControl, integer, modelId, number, object, oneOf, string } from '../../../request/fields.ts';
import { listLimits } from '../../../request/list-limits.ts';
import { optional } from '../../../request/optional.ts';

const stopSequencesMax = 4;

const turn = Type.Object(
  {
    role: oneOf(
      ['user', 'assistant', 'system'],
      'Who speaks: `user` asks, `assistant` is an earlier answer of the model, `system` gives instructions.',
    ),
    content: Type.Unknown({
      description: 'What is said: a text, which is short for one text block, or a list of blocks.',
    }),
  },
  { description: 'One turn of the conversation.', expected: 'a message object' },
);

const outputFormat = Type.Object(
  {
    type: Type.Literal('json_schema', { description: 'Always `json_schema`, the only form there is.' }),
    schema: object('The JSON Schema that the answer must match.'),
  },
  {
    description: 'Makes the answer JSON that matches a schema, where the model supports it.',
    expected: 'an object with the type json_schema and a schema',
  },
);

export const messagesRequestSchema = Type.Object(
  {
    model: modelId('The id of a chat model of any provider, as listed by `GET /v1/models`.'),
    max_tokens: integer(
      { minimum: 1 },
      'The most tokens to generate, thoughts included. The price of that many is held while the request runs; you pay for ' +
        'those generated.',
    ),
    messages: Type.Array(turn, {
      minItems: 1,
      maxItems: listLimits.messages,
      description: 'The conversation so far, oldest turn first. Every turn counts as input tokens.',
      expected: `an array of 1 to ${listLimits.messages} messages`,
    }),
    system: Type.Optional(
      Type.Unknown({
        description: 'Instructions that apply to the whole conversation: a text, or a list of text blocks.',
      }),
    ),
    stream: optional(
      boolean('Send the message as server-sent events while it is generated. Default false: it is sent as a whole.'),
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
        'How random the output is: low values make it focused and repeatable, high values varied. Most models default ' +
          'to 1. Change this or `top_p`, not both.',
      ),
    ),
    top_p: optional(
      number(
        { minimum: 0, maximum: 1 },
        'Nucleus sampling: the model chooses only among the most likely tokens that together have this share of the ' +
          'probability, so 0.1 means the top 10 %.',
      ),
    ),
    top_k: optional(
      integer(
        { minimum: 0 },
        'The model chooses only among this many of the most likely tokens, where it supports that.',
      ),
    ),
    tools: optional(
      Type.Array(object('A function with its `name`, its `description` and its `input_schema`, a JSON Schema.'), {
        maxItems: listLimits.tools,
        description:
          'The functions that the model may call, each with `name`, `description` and `input_schema`. You run them and send ' +
          'the results back. They count as input tokens. Tools that Anthropic defines or runs are refused.',
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
          '`adaptive` to let the model decide, or `disabled`. Thoughts are paid for as output and count towards `max_tokens`.',
      ),
    ),
    // Where null is not allowed, an error can name the member at fault.
    output_config: Type.Optional(
      Type.Object(
        {
          effort: optional(
            oneOf(
              ['low', 'medium', 'high', 'xhigh', 'max'],
              'How much effort the model makes, in thoughts above all. Default `high` with `thinking`.',
            ),
          ),
          format: optional(outputFormat),
        },
        { description: 'The form of the answer, and the effort that goes into it.', expected: 'an object' },
      ),
    ),
    metadata: Type.Optional(
      Type.Object(
        {
          user_id: optional(
            string(
              'An identifier of your end user, passed on to the provider for its abuse detection. Send no personal data.',
            ),
          ),
        },
        { description: 'Information about the request.', expected: 'an object' },
      ),
    ),
    /** Marks the last block of the prompt. */
    cache_control: cacheControl('the last message'),
    mcp_servers: Type.Optional(
      Type.Unknown({ description: 'Not supported: the gateway calls no servers on behalf of the model.' }),
    ),
    container: Type.Optional(Type.Unknown({ description: 'Not supported: the gateway runs no code for the model.' })),
  },
  { description: 'A conversation, and how the model is to answer it.' },
);

export type MessagesRequest = Static<typeof messagesRequestSchema>;
