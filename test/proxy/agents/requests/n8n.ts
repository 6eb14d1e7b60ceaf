/**
 * n8n's node "OpenAI Chat Model" with an agent, from `nodes/llms/LMChatOpenAi/LmChatOpenAi.node.ts`: LangChain's ChatOpenAI, by
 * default with the Responses API. A scripted server has read what @langchain/openai 1.5.8 sends with the node's settings.
 */
import { callOf, functionTool, type Program, schemaOf } from './sent-request.ts';

const lookUp = { name: 'look_up', input: { query: 'Perm' } };
const asked = [
  { type: 'message', role: 'developer', content: 'You are a helpful assistant' },
  { type: 'message', role: 'user', content: 'What is Perm?' },
];
const flat = {
  type: 'function',
  name: 'look_up',
  parameters: schemaOf('query'),
  description: 'Runs look_up.',
  strict: false,
};
const messages = [
  { role: 'developer', content: 'You are a helpful assistant' },
  { role: 'user', content: 'What is Perm?' },
];
const tools = [functionTool('look_up', 'query', { strict: false })];

export const n8n: Program = {
  name: 'n8n',
  headers: {
    'user-agent': 'langchainjs-openai/1.0.0 ((node/v22.16.0; linux; x64))',
    'openai-platform': 'org-platform',
    'x-stainless-lang': 'js',
  },
  requests: [
    {
      name: 'the first turn, with its built-in tools switched on',
      path: '/v1/responses',
      body: {
        input: asked,
        stream: true,
        tools: [
          flat,
          { type: 'web_search', search_context_size: 'medium' },
          { type: 'code_interpreter', container: { type: 'auto' } },
        ],
        text: {},
      },
      reaches: ['helpful assistant', 'What is Perm?', 'look_up'],
      removes: 'code_interpreter, web_search',
      calls: lookUp,
    },
    {
      name: 'the result of a tool, not streamed',
      path: '/v1/responses',
      body: {
        input: [
          ...asked,
          {
            type: 'function_call',
            id: 'fc_1',
            call_id: 'call_1',
            name: 'look_up',
            arguments: '{"query":"Perm"}',
            status: 'completed',
          },
          { type: 'function_call_output', call_id: 'call_1', output: '[{"response":"A city in Russia."}]' },
        ],
        stream: false,
        tools: [flat],
        text: {},
      },
      reaches: ['What is Perm?', 'A city in Russia.'],
    },
    {
      name: 'the first turn without the Responses API',
      path: '/v1/chat/completions',
      body: { stream: true, tools, stream_options: { include_usage: true }, messages },
      reaches: ['helpful assistant', 'What is Perm?', 'look_up'],
      calls: lookUp,
    },
    {
      name: 'the result of a tool without the Responses API',
      path: '/v1/chat/completions',
      body: {
        stream: false,
        tools,
        messages: [
          ...messages,
          { role: 'assistant', content: '', tool_calls: [callOf('call_1', lookUp)] },
          { role: 'tool', content: 'A city in Russia.', tool_call_id: 'call_1' },
        ],
      },
      reaches: ['A city in Russia.'],
    },
  ],
};
