/**
 * Cursor with "Override OpenAI Base URL". Its sources are not public; these are the forms that its users and gateways describe:
 * https://forum.cursor.com/t/153019, https://forum.cursor.com/t/159298, https://github.com/BerriAI/litellm/pull/34029,
 * https://github.com/router-for-me/CLIProxyAPI/issues/3805, https://github.com/icebear0828/codex-proxy/pull/708 (3.14.27 reads the
 * call of ApplyPatch as a function whose arguments are the patch, and sends it back so).
 */
import { callOf, functionTool, type Program, schemaOf } from './sent-request.ts';

const path = '/v1/chat/completions';
const grammar = 'start: "*** Begin Patch" LF hunk+ "*** End Patch"';
const applyPatch = {
  type: 'custom',
  name: 'ApplyPatch',
  description: 'Edits files.',
  format: { type: 'grammar', syntax: 'lark', definition: grammar },
};
const patch = '*** Begin Patch\n*** Add File: "note" \\ 👀.txt\n+Hello\n*** End Patch\n';
const patched = { name: 'ApplyPatch', input: { input: patch } };
const read = { name: 'Read', input: { path: 'note.txt' } };
const flatRead = { type: 'function', name: 'Read', description: 'Runs Read.', parameters: schemaOf('path') };
const anthropicRead = { name: 'Read', description: 'Runs Read.', input_schema: schemaOf('path') };
const asked = [
  { role: 'system', content: 'You are a coding agent.' },
  { role: 'user', content: [{ type: 'input_text', text: 'Write Hello into note.txt' }] },
];
const agent = {
  stream: true,
  store: false,
  include: ['reasoning.encrypted_content'],
  reasoning: { effort: 'medium', summary: 'auto' },
  text: { verbosity: 'low' },
  stream_options: { include_usage: true },
  prompt_cache_key: 'conversation-1',
  previous_response_id: null,
  truncation: 'auto',
  user: 'google-oauth2|user_1',
  metadata: { cursorConversationId: 'c-1' },
  tools: [flatRead, applyPatch],
  tool_choice: 'auto',
};
const messages = [
  { role: 'system', content: 'You are a coding assistant.' },
  { role: 'user', content: 'Write Hello into note.txt' },
];

export const cursor: Program = {
  name: 'Cursor',
  headers: {},
  requests: [
    {
      name: 'the check of the key',
      path,
      body: {
        messages: [
          { role: 'system', content: 'You are a test assistant.' },
          { role: 'user', content: 'Testing. Just say hi and nothing else.' },
        ],
      },
      reaches: ['Just say hi'],
    },
    {
      name: 'a turn of the agent that calls a function, in the form of the Responses API',
      path,
      body: { ...agent, input: asked },
      reaches: ['You are a coding agent.', 'Write Hello into note.txt', '"Read"', '"ApplyPatch"', 'Begin Patch'],
      calls: read,
    },
    {
      name: 'the same with an empty list of messages, and a call of its custom tool',
      path,
      body: { ...agent, messages: [], input: asked },
      reaches: ['Write Hello into note.txt', '"ApplyPatch"'],
      calls: patched,
      readsArguments: patch,
    },
    {
      name: 'the same, not streamed',
      path,
      body: { ...agent, stream: false, stream_options: undefined, input: asked },
      reaches: ['"ApplyPatch"'],
      calls: patched,
      readsArguments: patch,
    },
    {
      name: 'the results of both tools',
      path,
      body: {
        ...agent,
        input: [
          ...asked,
          { type: 'function_call', call_id: 'call_1', name: 'Read', arguments: '{"path":"note.txt"}' },
          { type: 'function_call_output', call_id: 'call_1', output: 'It is empty.' },
          { type: 'function_call', call_id: 'call_2', name: 'ApplyPatch', arguments: patch },
          { type: 'function_call_output', call_id: 'call_2', output: 'Done with the patch.' },
        ],
      },
      reaches: ['It is empty.', 'Add File: ', 'Done with the patch.'],
    },
    {
      name: "a turn of the agent with a model named claude, with tools in Anthropic's form",
      path,
      body: { stream: true, stream_options: { include_usage: true }, messages, tools: [anthropicRead] },
      reaches: ['coding assistant', 'Write Hello into note.txt', '"Read"', '"path"'],
      calls: read,
    },
    {
      name: 'the result of a tool in that form',
      path,
      body: {
        stream: true,
        messages: [
          ...messages,
          {
            role: 'assistant',
            content: [
              { type: 'text', text: 'I read it first.' },
              { type: 'tool_use', id: 'toolu_1', name: 'Read', input: { path: 'note.txt' } },
            ],
          },
          {
            role: 'user',
            content: [
              { type: 'tool_result', tool_use_id: 'toolu_1', content: [{ type: 'text', text: 'It is empty.' }] },
              { type: 'text', text: 'Go on.' },
            ],
          },
        ],
        tools: [anthropicRead],
        tool_choice: { type: 'auto' },
      },
      reaches: ['I read it first.', 'note.txt', 'It is empty.', 'Go on.'],
    },
    {
      name: 'a question whose tools have both forms',
      path,
      body: {
        stream: true,
        stream_options: { include_usage: true },
        messages,
        tools: [functionTool('Read', 'path'), applyPatch],
      },
      reaches: ['coding assistant', 'Write Hello into note.txt', '"Read"', '"ApplyPatch"', 'Begin Patch'],
      calls: patched,
      readsArguments: patch,
    },
    {
      name: 'the result of its custom tool, with the call as it was returned',
      path,
      body: {
        stream: false,
        messages: [
          ...messages,
          {
            role: 'assistant',
            content: [],
            tool_calls: [
              { id: 'call_1', type: 'function', function: { name: 'ApplyPatch', arguments: patch } },
              callOf('call_2', read),
            ],
          },
          { role: 'tool', tool_call_id: 'call_1', content: 'Done with the patch.' },
          { role: 'tool', tool_call_id: 'call_2', content: 'Hello is in it.' },
        ],
        tools: [functionTool('Read', 'path'), applyPatch],
        tool_choice: 'auto',
      },
      reaches: ['Add File: ', 'Done with the patch.', 'Hello is in it.'],
    },
  ],
};
