/**
 * The body of a chat completion request: its parameters and their rules, and what clients send beyond
 * them. It names only the members that the gateway checks or translates; all others are passed on unchanged.
 */
import { type Static, Type } from '@sinclair/typebox';
import {
  boolean,
  cacheControl,
  integer,
  listLimits,
  modelId,
  object,
  optional,
  serviceTier,
  string,
} from './fields.ts';
import { type OrderedTurn, orderedTurn } from './ordered-turn.ts';
import { routingParameters } from './routing.ts';
import { samplingParameters } from './sampling.ts';

const outputCap = (description: string) => integer({ minimum: 1 }, description);

const extraContent = optional(
  object("Data that the provider needs back with the call, such as Gemini's thought signature. Send it unchanged."),
);

/** `type` names the member with the content: `text`, `image_url`, `input_audio`, `file`, or one of a provider's own. */
const contentPart = Type.Object(
  {
    type: string(
      'The type of the part: `text`, `image_url`, `input_audio` or `file`, or a type that only the provider knows. The ' +
        'content is in the field of the same name.',
    ),
    text: optional(string('The text of a `text` part.')),
    image_url: optional(
      Type.Object(
        {
          url: string('An `https:` URL of the image, or the image itself as a `data:` URL in base64.'),
          detail: optional(
            string(
              'The resolution at which the model reads the image: `low` costs fewer tokens than `high`. Default `auto`.',
            ),
          ),
        },
        {
          description: 'The image of an `image_url` part. Counts as prompt tokens.',
          expected: 'an object with a url',
        },
      ),
    ),
    input_audio: optional(
      Type.Object(
        { data: string('The audio, in base64.'), format: string('The format of the audio, such as `wav` or `mp3`.') },
        { description: 'The audio of an `input_audio` part.', expected: 'an object with data and format' },
      ),
    ),
    file: optional(
      object(
        'The document of a `file` part: `file_data` is a `data:` URL in base64, `filename` its name. `file_id` is refused.',
      ),
    ),
    refusal: optional(string('The text of a `refusal` part, in an assistant message that declined to answer.')),
    /** Only sent to providers that support it. */
    cache_control: cacheControl('this part'),
  },
  { description: 'One part of the content of a message.', expected: 'a content part with a type' },
);

const toolCall = Type.Object(
  {
    id: optional(string('The id of the call. The `tool` message with the result refers to it as `tool_call_id`.')),
    type: optional(string('The kind of call: `function`.')),
    function: optional(
      Type.Object(
        {
          name: string('The name of the function that the model called.'),
          arguments: optional(string('The arguments, as a JSON string, exactly as the model wrote them.')),
        },
        { description: 'The function that the model called.', expected: 'an object with name and arguments' },
      ),
    ),
    extra_content: extraContent,
    cache_control: cacheControl('this call'),
  },
  { description: 'A call that the model made.', expected: 'a tool call' },
);

const thinkingBlock = Type.Object(
  {
    type: Type.Union([Type.Literal('thinking'), Type.Literal('redacted_thinking')], {
      description: '`thinking` has a text and a signature; `redacted_thinking` has only `data`.',
      expected: 'thinking or redacted_thinking',
    }),
    thinking: Type.Optional(string('The text of the thinking.')),
    signature: Type.Optional(string('Proves to the provider that its model generated the block. Send it unchanged.')),
    data: Type.Optional(string('The encrypted thinking of a `redacted_thinking` block.')),
  },
  { description: "A signed block of the model's thinking.", expected: 'a thinking block' },
);

const message = Type.Object(
  {
    role: Type.Union(
      ['system', 'developer', 'user', 'assistant', 'tool', 'function'].map((role) => Type.Literal(role)),
      {
        description:
          'Who the message is from: `system` or `developer` gives instructions, `user` is the end user, `assistant` the ' +
          'model, `tool` the result of a call. `function` is the deprecated form of `tool`.',
        expected: 'one of system, developer, user, assistant, tool',
      },
    ),
    content: Type.Optional(
      Type.Union([Type.String(), Type.Null(), Type.Array(contentPart, { maxItems: listLimits.contentParts })], {
        description:
          'The content of the message: a string, or a list of text, image, audio and file parts. Every message needs ' +
          'content, except an `assistant` message that calls tools.',
        expected: `a string or an array of up to ${listLimits.contentParts} content parts`,
      }),
    ),
    name: optional(string('Distinguishes participants with the same role.')),
    refusal: optional(string('In an `assistant` message, why the model declined to answer.')),
    reasoning_content: optional(
      string('In an `assistant` message, the reasoning returned with it, for models that need it back.'),
    ),
    tool_calls: optional(
      Type.Array(toolCall, {
        maxItems: listLimits.toolCalls,
        description: 'In an `assistant` message, the calls that the model made. A `tool` message answers each of them.',
        expected: `an array of up to ${listLimits.toolCalls} tool calls`,
      }),
    ),
    tool_call_id: optional(string('In a `tool` message, the `id` of the call that it answers.')),
    thinking_blocks: optional(
      Type.Array(thinkingBlock, {
        maxItems: listLimits.toolCalls,
        description:
          "In an `assistant` message, Anthropic's signed thinking. If the turn called tools, send it back unchanged.",
        expected: `an array of up to ${listLimits.toolCalls} thinking blocks`,
      }),
    ),
    cache_control: cacheControl('this message'),
  },
  { description: 'One message of the conversation.', expected: 'a message object' },
);

const tool = Type.Object(
  {
    type: string(
      'The kind of tool: `function`, or `custom` if the provider supports it. `web_search` is short for ' +
        '`web_search_options`; other tools that the provider would run are left ' +
        'out, and `x-gateway-removed-tools` names them.',
    ),
    function: optional(
      Type.Object(
        {
          name: string('The name by which the model calls the function.'),
          description: optional(
            string('What the function does and when to call it. The model decides based on this text.'),
          ),
          parameters: optional(object('A JSON Schema of the arguments. Without it, the function takes no arguments.')),
          strict: optional(
            boolean('Whether the arguments must match the schema exactly, if the provider supports it. Default false.'),
          ),
        },
        { description: 'The function that the model may call.', expected: 'an object with a name' },
      ),
    ),
    cache_control: cacheControl('this tool'),
  },
  { description: 'A tool that the model may call.', expected: 'a tool with a type' },
);

const toolChoice = Type.Union(
  [
    Type.String(),
    Type.Object({
      type: string('The kind of tool to call: `function`.'),
      function: optional(
        Type.Object(
          { name: string('The name of the function to call, one of `tools`.') },
          { description: 'The function that the model must call.' },
        ),
      ),
    }),
  ],
  {
    description:
      '`auto` lets the model decide whether to call a tool, `required` makes it call at least one, `none` forbids it; an ' +
      'object makes it call one function. Default `auto` with tools, otherwise `none`.',
    expected: 'none, auto, required or an object that names a function',
  },
);

const responseFormat = Type.Object(
  {
    type: string(
      '`text` for free text, `json_object` for any JSON object, `json_schema` for JSON that matches `json_schema`.',
    ),
    json_schema: optional(
      Type.Object(
        {
          name: optional(string('A name for the schema, which the model may see.')),
          schema: optional(object('The JSON Schema that the output must match.')),
          strict: optional(boolean('Whether the output must match the schema exactly. Default false.')),
        },
        {
          description: 'The schema of the output. Only with the type `json_schema`.',
          expected: 'an object with name and schema',
        },
      ),
    ),
  },
  {
    description: 'The format of the output, if the model supports it. Default: text.',
    expected: 'an object with a type',
  },
);

export const chatRequestSchema = Type.Object(
  {
    model: modelId('The id of a chat model, as listed by `GET /v1/models`.'),
    messages: Type.Array(message, {
      minItems: 1,
      maxItems: listLimits.messages,
      description: 'The conversation so far, oldest message first. Every message counts as prompt tokens.',
      expected: `an array of 1 to ${listLimits.messages} messages`,
    }),
    ...samplingParameters,
    max_tokens: optional(
      outputCap(
        'The most tokens to generate for each of the `n` choices, including reasoning. Their price is held while the ' +
          "request runs; you pay for the tokens that are generated. Default: the model's own limit, or less if the balance " +
          'covers less.',
      ),
    ),
    max_completion_tokens: optional(
      outputCap('The newer name of `max_tokens`. If both are sent, the lower one applies.'),
    ),
    top_k: optional(
      integer(
        { minimum: -1 },
        'The model samples only from this many of the most likely tokens, if it supports that. 0 and -1 mean all of them.',
      ),
    ),
    modalities: optional(
      Type.Array(string('`text` or `audio`.'), {
        description:
          'What the model returns: `["text"]`, or `["text", "audio"]` from models that have a price for it (`audio_completion`).',
        expected: 'an array of strings',
      }),
    ),
    audio: optional(object('The `voice` and the `format` of the audio, for `modalities` with `audio`.')),
    logprobs: optional(boolean('Whether to return the log probability of each generated token. Default false.')),
    top_logprobs: optional(
      integer(
        { minimum: 0, maximum: 20 },
        'How many of the most likely tokens to list at each position, with their log probabilities. Needs `logprobs: true`.',
      ),
    ),
    logit_bias: optional(
      object(
        "Token ids of the model's tokenizer, each with a bias from -100 to 100: positive makes it more likely, -100 bans it.",
      ),
    ),
    tools: optional(
      Type.Array(tool, {
        maxItems: listLimits.tools,
        description:
          'The functions that the model may call. You run them and send back the results. They count as prompt tokens.',
        expected: `an array of up to ${listLimits.tools} tools`,
      }),
    ),
    tool_choice: optional(toolChoice),
    parallel_tool_calls: optional(
      boolean('Whether one message may call several tools. Default true, if the model supports it.'),
    ),
    response_format: optional(responseFormat),
    reasoning_effort: optional(
      string(
        'How much the model reasons before it answers: `low`, `medium` or `high`, or another level that the model supports. ' +
          'You pay for reasoning as output.',
      ),
    ),
    reasoning: optional(
      Type.Object(
        {
          effort: optional(
            string('Like `reasoning_effort`: `low`, `medium`, `high` or another level that the model supports.'),
          ),
          max_tokens: optional(outputCap('The most tokens to spend on reasoning. They are part of `max_tokens`.')),
        },
        {
          description:
            'How much the model reasons, as an effort or a number of tokens. Use it instead of `reasoning_effort`.',
          expected: 'an object',
        },
      ),
    ),
    web_search_options: Type.Optional(
      Type.Unknown({
        description:
          'Lets the provider search the web before it answers, where the model has a price for it (`web_search`): ' +
          '`user_location`, and beyond OpenAI `max_uses`, `allowed_domains` and `blocked_domains`. `{}` suffices. The citations are in ' +
          '`annotations` of the message.',
      }),
    ),
    service_tier: serviceTier,
    ...routingParameters,
  },
  { description: 'A conversation, and how the model should continue it.' },
);

export type ChatRequest = Static<typeof chatRequestSchema>;
export type ChatMessage = ChatRequest['messages'][number] & { readonly [orderedTurn]?: OrderedTurn };
export type ChatContentPart = Static<typeof contentPart>;
export type ChatToolCall = Static<typeof toolCall>;
export type ChatTool = Static<typeof tool>;
