/**
 * LibreChat with a custom endpoint, as its model client `@librechat/agents` 3.9.2 sends it (a scripted server has read it), and
 * from `packages/api/src/endpoints/openai/llm.ts`.
 */
import { callOf, functionTool, type Program } from './sent-request.ts';

const path = '/v1/chat/completions';
const write = { name: 'Write', input: { filepath: 'note.txt' } };
const conversation = [
  { role: 'system', content: 'Be helpful.' },
  { role: 'user', content: 'Write Hello into note.txt' },
];
const turn = {
  user: '65f0c0ffee',
  stream: true,
  tools: [functionTool('Write', 'filepath')],
  stream_options: { include_usage: true },
};

export const libreChat: Program = {
  name: 'LibreChat',
  headers: {
    'user-agent': 'langchainjs-openai/1.0.0 ((node/v20.20.2; linux; x64))',
    'accept-language': '*',
    'x-stainless-lang': 'js',
    'x-stainless-retry-count': '0',
  },
  requests: [
    {
      name: 'the first turn',
      path,
      body: { ...turn, messages: conversation },
      reaches: ['Be helpful.', 'Write Hello into note.txt', '"Write"'],
      calls: write,
    },
    {
      name: 'the result of a tool',
      path,
      body: {
        ...turn,
        messages: [
          ...conversation,
          { role: 'assistant', content: '', tool_calls: [callOf('call_0', write)] },
          { role: 'tool', content: 'It is written.', name: 'Write', tool_call_id: 'call_0' },
        ],
      },
      reaches: ['Write Hello into note.txt', 'It is written.'],
    },
    {
      name: 'a title',
      path,
      body: {
        stream: false,
        messages: [{ role: 'user', content: 'Provide a title of five words.\n\nUser: Write Hello\nAI: Done' }],
      },
      reaches: ['a title of five words'],
    },
  ],
};
