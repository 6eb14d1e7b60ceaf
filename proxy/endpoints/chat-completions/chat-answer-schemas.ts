/** A chat completion, whole and in chunks. */
import { Type } from '@sinclair/typebox';
import { always, anything, orNull, ref, text, unixTime, words } from '../document/schema-parts.ts';
import { usageExample } from '../document/usage-schemas.ts';

const finishReason = words(
  ['stop', 'length', 'tool_calls', 'content_filter', 'function_call'],
  'Why the answer ends: `stop` for its natural end or a stop sequence, `length` for the token limit, `tool_calls` where ' +
    'you are to run functions, `content_filter` where the provider withheld the rest. `function_call` is a deprecated ' +
    'form of `tool_calls`.',
);
const logprobs = Type.Optional(
  orNull(anything('Tokens with their log probabilities.'), 'Log probabilities; null unless `logprobs` asks for them.'),
);
const extraContent = Type.Optional(
  anything("Data that the provider wants back with the call, such as Gemini's thought signature. Send it as it is."),
);
const head = {
  id: text('The id of the completion. All chunks of a stream have the same.', 'chatcmpl-7Qx2'),
  created: unixTime,
  model: text('The model that you asked for.'),
  system_fingerprint: Type.Optional(
    orNull(Type.String(), 'Identifies the configuration at the provider, which `seed` depends on.'),
  ),
  service_tier: Type.Optional(orNull(Type.String(), "The provider's class of service. Only the default one is used.")),
};
const spoken = {
  reasoning_content: Type.Optional(
    orNull(Type.String(), 'The thoughts of the model, where the provider shows them. They are paid for either way.'),
  ),
  thinking_blocks: Type.Optional(
    Type.Array(
      Type.Object({
        type: words(
          ['thinking', 'redacted_thinking'],
          '`thinking` has a text and a signature, `redacted_thinking` only `data`.',
        ),
        thinking: Type.Optional(text('The text of the thought.')),
        signature: Type.Optional(text('Proves to the provider that the thought is its own.')),
        data: Type.Optional(text('The encrypted thought.')),
      }),
      { description: 'Signed thoughts of Anthropic models. Send them back unchanged with the next turn.' },
    ),
  ),
};

export const chatCompletion = Type.Object(
  {
    ...head,
    object: always('chat.completion'),
    choices: Type.Array(
      Type.Object({
        index: Type.Integer({ description: 'The position of the answer among the `n` answers.' }),
        message: Type.Object(
          {
            role: always('assistant'),
            content: orNull(Type.String(), 'The text of the answer; null if the model only calls functions.'),
            refusal: orNull(Type.String(), 'Why the model declined to answer; null if it did not.'),
            ...spoken,
            tool_calls: Type.Optional(
              Type.Array(
                Type.Object({
                  id: text('The id of the call. Repeat it as `tool_call_id` with the result.'),
                  type: always('function'),
                  function: Type.Object(
                    {
                      name: text('The name of the function to call.'),
                      arguments: text(
                        'The arguments, as JSON in a string. The model wrote it, so check it before you use it.',
                      ),
                    },
                    { description: 'The function to call.' },
                  ),
                  extra_content: extraContent,
                }),
                { description: 'The functions that the model wants you to run, in order.' },
              ),
            ),
            annotations: Type.Optional(
              Type.Array(Type.Unknown(), { description: 'Notes of the provider on the text, such as citations.' }),
            ),
          },
          { description: 'The answer. Append it to `messages` to continue the conversation.' },
        ),
        finish_reason: finishReason,
        logprobs,
      }),
      { description: 'The answers: as many as `n` asks for, by default one.' },
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
        index: Type.Integer({ description: 'Which of the `n` answers the piece belongs to.' }),
        delta: Type.Object(
          {
            role: Type.Optional(
              Type.Literal('assistant', { description: 'Always `assistant`; only in the first chunk of an answer.' }),
            ),
            content: Type.Optional(orNull(Type.String(), 'The next piece of the answer.')),
            refusal: Type.Optional(orNull(Type.String(), 'The next piece of a refusal.')),
            ...spoken,
            tool_calls: Type.Optional(
              Type.Array(
                Type.Object({
                  index: Type.Integer({ description: 'The position of the call that this is a piece of.' }),
                  id: Type.Optional(text('The id of the call; only in its first piece.')),
                  type: Type.Optional(always('function')),
                  function: Type.Optional(
                    Type.Object(
                      {
                        name: Type.Optional(text('The name of the function; only in the first piece of a call.')),
                        arguments: Type.Optional(
                          text('The next piece of the arguments. Join the pieces, then parse the JSON.'),
                        ),
                      },
                      { description: 'The next piece of the function to call.' },
                    ),
                  ),
                  extra_content: extraContent,
                }),
                { description: 'The next pieces of calls.' },
              ),
            ),
          },
          { description: 'What was generated since the chunk before. Join the pieces to get the message.' },
        ),
        finish_reason: orNull(finishReason, 'Why the answer ends; null until its last chunk.'),
        logprobs,
      }),
      { description: 'The next pieces of the answers. Empty in the chunk with the usage.' },
    ),
    usage: Type.Optional(
      orNull(ref('Usage'), 'Tokens and cost, in the last chunk if `stream_options.include_usage` asks for them.'),
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
