/** Examples of chat completion request bodies, valid and refused. */
import type { RefusedBodies } from '../document/error-examples.ts';

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
            description: 'Get the current weather in a city.',
            parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
          },
        },
      ],
    },
  },
};

const { model, messages } = chatRequestExamples.short.value;

export const refusedChatBodies: RefusedBodies = {
  missing_parameter: { model },
  invalid_parameter: { model, messages, temperature: 3 },
  unsupported_parameter: { model, messages, service_tier: 'scale' },
};
