/** Schemas of a chat completion, whole and in chunks. */
import { Type } from '@sinclair/typebox';
import { always, anything, orNull, ref, text, unixTime, words } from '../document/schema-parts.ts';
import { usageExample } from '../document/usage-schemas.ts';

const finishReason = words(
  ['stop', 'length', 'tool_calls', 'content_filter', 'function_call'],
  'Why the model stopped: `stop` for a natural end or a stop sequence, `length` for the token limit, `tool_calls` if ' +
    'the model called functions, `content_filter` if the provider withheld the rest. `function_call` is a deprecated ' +
    'form of `tool_calls`.',
);
const logprobs = Type.Optional(
  orNull(anything('Tokens with their log probabilities.'), 'Log probabilities; null unless `logprobs` asks for them.'),
);
const extraContent = Type.Optional(
  anything("Data that the provider needs back with the call, such as Gemini's thought signature. Send it unchanged."),
);
const head = {
  id: text('The id of the completion. All chunks of a stream have the same id.', 'chatcmpl-7Qx2'),
  created: unixTime,
  model: text('The model that you requested.'),
  system_fingerprint: Type.Optional(
    orNull(Type.String(), "Identifies the provider's backend configuration. `seed` depends on it."),
  ),
  service_tier: Type.Optional(orNull(Type.String(), 'The service tier at which the provider served the request.')),
};
const reasoning = {
  reasoning_content: Type.Optional(
    orNull(Type.String(), "The model's reasoning, if the provider shows it. You pay for it either way."),
  ),
  thinking_blocks: Type.Optional(
    Type.Array(
      Type.Object({
        type: words(
          ['thinking', 'redacted_thinking'],
          '`thinking` has a text and a signature; `redacted_thinking` has only `data`.',
        ),
        thinking: Type.Optional(text('The text of the block.')),
        signature: Type.Optional(text('Proves to the provider that its model generated the block.')),
        data: Type.Optional(text('The encrypted thinking.')),
      }),
      {
        description:
          'The signed thinking that an Anthropic model began with. Send the blocks back unchanged with the next turn. Thinking ' +
          'between text and calls is only in `reasoning_content`; `/v1/messages` and `/v1/responses` return it in its place.',
      },
    ),
  ),
};

export const chatCompletion = Type.Object(
  {
    ...head,
    object: always('chat.completion'),
    choices: Type.Array(
      Type.Object({
        index: Type.Integer({ description: 'The index of the choice, from 0 to `n` - 1.' }),
        message: Type.Object(
          {
            role: always('assistant'),
            content: orNull(Type.String(), 'The text of the message; null if the model only calls functions.'),
            refusal: orNull(Type.String(), 'Why the model declined to answer; null if it did not.'),
            ...reasoning,
            tool_calls: Type.Optional(
              Type.Array(
                Type.Object({
                  id: text('The id of the call. Send it back as `tool_call_id` with the result.'),
                  type: always('function'),
                  function: Type.Object(
                    {
                      name: text('The name of the function to call.'),
                      arguments: text(
                        'The arguments, as a JSON string. The model generates it, so validate it before you use it.',
                      ),
                    },
                    { description: 'The function to call.' },
                  ),
                  extra_content: extraContent,
                }),
                { description: 'The functions that the model calls and you run, in order.' },
              ),
            ),
            annotations: Type.Optional(
              Type.Array(Type.Unknown(), { description: "The provider's annotations of the text, such as citations." }),
            ),
          },
          {
            description: 'The message that the model generated. Append it to `messages` to continue the conversation.',
          },
        ),
        finish_reason: finishReason,
        logprobs,
      }),
      { description: 'The generated messages: as many as `n` asks for, one by default.' },
    ),
    usage: ref('Usage'),
  },
  { description: 'A chat completion.' },
);

export const chatCompletionChunk = Type.Object(
  {
    ...head,
    object: always('chat.completion.chunk'),
    choices: Type.Array(
      Type.Object({
        index: Type.Integer({ description: 'The index of the choice that the delta belongs to.' }),
        delta: Type.Object(
          {
            role: Type.Optional(
              Type.Literal('assistant', { description: 'Always `assistant`; only in the first chunk of a choice.' }),
            ),
            content: Type.Optional(orNull(Type.String(), 'The next chunk of the text.')),
            refusal: Type.Optional(orNull(Type.String(), 'The next chunk of the refusal.')),
            ...reasoning,
            tool_calls: Type.Optional(
              Type.Array(
                Type.Object({
                  index: Type.Integer({ description: 'The index of the call that the chunk belongs to.' }),
                  id: Type.Optional(text('The id of the call; only in its first chunk.')),
                  type: Type.Optional(always('function')),
                  function: Type.Optional(
                    Type.Object(
                      {
                        name: Type.Optional(text('The name of the function; only in the first chunk of a call.')),
                        arguments: Type.Optional(
                          text('The next chunk of the arguments. Join the chunks, then parse the JSON.'),
                        ),
                      },
                      { description: 'The function to call, in chunks.' },
                    ),
                  ),
                  extra_content: extraContent,
                }),
                { description: 'The next chunks of the function calls.' },
              ),
            ),
          },
          { description: 'What was generated since the previous chunk. Join the deltas to get the message.' },
        ),
        finish_reason: orNull(finishReason, 'Why the model stopped; null until the last chunk of the choice.'),
        logprobs,
      }),
      { description: 'The next part of each choice. Empty in the chunk with the usage.' },
    ),
    usage: Type.Optional(
      orNull(ref('Usage'), 'Tokens and cost, in the last chunk if `stream_options.include_usage` is true.'),
    ),
  },
  { description: 'The data of one event of a streamed chat completion.' },
);

const headExample = { id: 'chatcmpl-7Qx2', created: 1_893_456_000, model: 'demo/chat' };

export const chatCompletionExample = {
  ...headExample,
  object: 'chat.completion',
  choices: [
    {
      index: 0,
      message: { role: 'assistant', content: 'Hello! How can I help you today?', refusal: null },
      finish_reason: 'stop',
      logprobs: null,
    },
  ],
  usage: usageExample,
};

const chunk = (choices: object[], usage: object | null = null) =>
  `data: ${JSON.stringify({ ...headExample, object: 'chat.completion.chunk', choices, usage })}\n\n`;

export const chatStreamExample = [
  chunk([{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }]),
  chunk([{ index: 0, delta: { content: 'Hello!' }, finish_reason: null }]),
  chunk([{ index: 0, delta: {}, finish_reason: 'stop' }]),
  chunk([], usageExample),
  'data: [DONE]\n\n',
].join('');
