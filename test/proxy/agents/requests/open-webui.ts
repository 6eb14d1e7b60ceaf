/**
 * Open WebUI, from `backend/open_webui/routers/openai.py` and `routers/tasks.py` and `utils/middleware.py`: its backend keeps
 * `metadata`, ids and files to itself, and renames `max_completion_tokens` for all but OpenAI's own address. Titles, tags and
 * follow-ups are chats of their own.
 */
import { callOf, functionTool, type Program, type SentRequest } from './sent-request.ts';

const path = '/v1/chat/completions';
const system = { role: 'system', content: 'You are a helpful assistant.' };
const user = { role: 'user', content: 'What is the weather in Perm?' };
const weather = { name: 'get_weather', input: { city: 'Perm' } };
const tools = [functionTool('get_weather', 'city')];

const taskOf = (name: string, instruction: string, more: object = {}): SentRequest => ({
  name,
  path,
  body: { messages: [{ role: 'user', content: `### Task:\n${instruction}` }], stream: false, ...more },
  reaches: [instruction],
});

export const openWebUi: Program = {
  name: 'Open WebUI',
  headers: {
    'user-agent': 'Python/3.11 aiohttp/3.13.3',
    'x-openwebui-user-name': 'Ada',
    'x-openwebui-user-id': '6f1c',
    'x-openwebui-user-email': 'ada@example.com',
    'x-openwebui-user-role': 'user',
    'x-openwebui-chat-id': '9a2e',
  },
  requests: [
    {
      name: 'a chat',
      path,
      body: { stream: true, messages: [system, user], stream_options: { include_usage: true } },
      reaches: ['helpful assistant', 'weather in Perm'],
    },
    {
      name: 'a chat with tools that the model calls itself',
      path,
      body: { stream: true, messages: [system, user], tools, temperature: 0.5, max_tokens: 400 },
      reaches: ['weather in Perm', 'get_weather', '0.5', '400'],
      calls: weather,
    },
    {
      name: 'the result of a tool',
      path,
      body: {
        stream: true,
        messages: [
          system,
          user,
          { role: 'assistant', content: '', tool_calls: [{ index: 0, ...callOf('call_1', weather) }] },
          { role: 'tool', tool_call_id: 'call_1', content: '12 degrees' },
        ],
        tools,
      },
      reaches: ['get_weather', '12 degrees'],
    },
    taskOf('a title', 'Generate a title with an emoji.', { max_tokens: 1000 }),
    taskOf('tags', 'Generate 1-3 broad tags.'),
    taskOf('follow-ups', 'Suggest 3-5 follow-up questions.'),
    {
      name: 'a chat of a reasoning model',
      path,
      body: {
        stream: true,
        messages: [{ role: 'developer', content: 'You are a helpful assistant.' }, user],
        max_completion_tokens: 400,
        reasoning_effort: 'low',
        stream_options: { include_usage: true },
      },
      reaches: ['helpful assistant', 'weather in Perm', '400'],
    },
  ],
};
