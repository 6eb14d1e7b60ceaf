/** The body of a chat completion request. */
import { chatRequestSchema } from '../../request/chat-request.ts';
import { withNotes } from '../field-notes.ts';

export const chatRequest = withNotes(chatRequestSchema, {
  model: 'The id of a chat model of `GET /v1/models`.',
  messages: 'The conversation so far. Each message needs content, except those of the assistant that call tools.',
  temperature: 'How freely the model chooses its words; 1 where nothing is said. Change this or `top_p`, not both.',
  max_tokens:
    "Tokens to generate at most. Where nothing is said, the model's own limit, or what a small balance covers. " +
    'The request holds their price while it runs.',
  max_completion_tokens: 'The same under its newer name. Where both are sent, the lower one counts.',
  stream: 'Whether the answer comes as server-sent events.',
  stream_options: '`include_usage` asks for a last chunk with the usage and the cost.',
  top_p: 'The share of probability that words are chosen from; 1 where nothing is said.',
  frequency_penalty: 'Above 0, words that came often come less.',
  presence_penalty: 'Above 0, words that came once come less.',
  stop: 'Up to 4 texts where the answer ends. They are not part of it.',
  n: 'How many answers; each is paid for. 1 where nothing is said.',
  seed: 'For answers that can be repeated, as far as the provider can.',
  logprobs: 'Whether the probability of each token is told.',
  top_logprobs: 'How many likely tokens are told at each place.',
  logit_bias: 'Token ids, and how much more or less they are to come.',
  user: 'Your own name for whoever asks. It is passed on to the provider.',
  tools: 'Functions that the model may call. Tools that a provider runs itself are billed by the call and refused.',
  tool_choice: '`none`, `auto`, `required`, or the function that has to be called.',
  parallel_tool_calls: 'Whether one answer may call several functions.',
  response_format: '`json_object`, or `json_schema` with the schema that the answer has to match.',
  reasoning_effort: 'How much the model may think: `low`, `medium` or `high`, and what the provider knows beyond.',
  reasoning: 'The same as an object: an effort, or a number of tokens.',
});

export const chatRequestExamples = {
  short: {
    summary: 'A question',
    value: { model: 'demo/chat', messages: [{ role: 'user', content: 'Hello!' }], max_tokens: 100 },
  },
  streamed: {
    summary: 'Streamed, with the usage at the end',
    value: {
      model: 'demo/chat',
      stream: true,
      stream_options: { include_usage: true },
      messages: [
        { role: 'system', content: 'Answer in one sentence.' },
        { role: 'user', content: 'What is a ledger?' },
      ],
      temperature: 0.2,
      max_tokens: 100,
    },
  },
  tools: {
    summary: 'With a function to call',
    value: {
      model: 'demo/chat',
      messages: [{ role: 'user', content: 'What is the weather in Riga?' }],
      max_tokens: 100,
      tools: [
        {
          type: 'function',
          function: {
            name: 'get_weather',
            description: 'The weather of a city.',
            parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
          },
        },
      ],
    },
  },
};
