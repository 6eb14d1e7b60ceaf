/** A chat completion, whole and in chunks. */
import { Type } from '@sinclair/typebox';
import { anything, orNull, ref, text, unixTime, words } from '../schema-parts.ts';
import { usageExample } from '../usage.ts';

const finishReason = words(
  ['stop', 'length', 'tool_calls', 'content_filter', 'function_call'],
  '`length` is a cap that was reached, `tool_calls` a wish to call functions.',
);
const logprobs = Type.Optional(orNull(anything('Probabilities, where they were asked for.'), 'Probabilities.'));
const extraContent = Type.Optional(
  anything("What the provider wants back with the call, such as Gemini's thought signature."),
);
const head = {
  id: text('The id of the completion.', 'chatcmpl-7Qx2'),
  created: unixTime,
  model: text('The model that was asked, by the id that the request has.'),
  system_fingerprint: Type.Optional(orNull(Type.String(), "The provider's configuration.")),
  service_tier: Type.Optional(orNull(Type.String(), "The provider's tier.")),
};
const spoken = {
  reasoning_content: Type.Optional(orNull(Type.String(), 'Thoughts, where the provider tells them.')),
  thinking_blocks: Type.Optional(
    Type.Array(
      Type.Object({
        type: words(['thinking', 'redacted_thinking'], 'Redacted thoughts have `data` only.'),
        thinking: Type.Optional(Type.String()),
        signature: Type.Optional(Type.String()),
        data: Type.Optional(Type.String()),
      }),
      { description: 'Signed thoughts. Send them back unchanged with the next turn.' },
    ),
  ),
};

export const chatCompletion = Type.Object({
  ...head,
  object: Type.Literal('chat.completion'),
  choices: Type.Array(
    Type.Object({
      index: Type.Integer(),
      message: Type.Object({
        role: Type.Literal('assistant'),
        content: orNull(Type.String(), 'The answer; null where functions are to be called instead.'),
        refusal: orNull(Type.String(), 'Why the model does not answer.'),
        ...spoken,
        tool_calls: Type.Optional(
          Type.Array(
            Type.Object({
              id: Type.String(),
              type: Type.Literal('function'),
              function: Type.Object({
                name: Type.String(),
                arguments: text('JSON, as the model has written it: it may be invalid.'),
              }),
              extra_content: extraContent,
            }),
          ),
        ),
        annotations: Type.Optional(Type.Array(Type.Unknown())),
      }),
      finish_reason: finishReason,
      logprobs,
    }),
    { description: 'One, unless `n` says otherwise.' },
  ),
  usage: ref('Usage'),
});

export const chatCompletionChunk = Type.Object(
  {
    ...head,
    object: Type.Literal('chat.completion.chunk'),
    choices: Type.Array(
      Type.Object({
        index: Type.Integer(),
        delta: Type.Object({
          role: Type.Optional(Type.Literal('assistant', { description: 'In the first chunk.' })),
          content: Type.Optional(orNull(Type.String(), 'The next piece of the answer.')),
          refusal: Type.Optional(orNull(Type.String(), 'The next piece of a refusal.')),
          ...spoken,
          tool_calls: Type.Optional(
            Type.Array(
              Type.Object({
                index: Type.Integer({ description: 'Which call this is a piece of.' }),
                id: Type.Optional(Type.String()),
                type: Type.Optional(Type.Literal('function')),
                function: Type.Optional(
                  Type.Object({ name: Type.Optional(Type.String()), arguments: Type.Optional(Type.String()) }),
                ),
                extra_content: extraContent,
              }),
            ),
          ),
        }),
        finish_reason: orNull(finishReason, 'Null until the last chunk of the choice.'),
        logprobs,
      }),
      { description: 'Empty in the chunk that carries the usage.' },
    ),
    usage: Type.Optional(orNull(ref('Usage'), 'In the last chunk, where `include_usage` asked for it.')),
  },
  { description: 'The data of an event of a streamed chat completion.' },
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
