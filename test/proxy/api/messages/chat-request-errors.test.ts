/** Errors in a Messages request name the parameter as the client sent it. */
import { expect, test } from 'bun:test';
import { GatewayError } from '../../../../shared/errors.ts';
import { parseMessages } from '../parse.ts';

const hello = { role: 'user', content: 'Hello?' };
const tool = { name: 'weather', input_schema: { type: 'object' } };
const parse = (members: object) => parseMessages(JSON.stringify({ model: 'm', max_tokens: 64, ...members }));
const user = (...content: unknown[]) => ({ messages: [hello, { role: 'user', content }] });
const text = { type: 'text', text: 'a' };
test.each<[string, string, object]>([
  ['missing_parameter', 'messages', {}],
  ['invalid_parameter', 'messages', { messages: [] }],
  ['invalid_parameter', 'max_tokens', { max_tokens: 0, messages: [hello] }],
  ['invalid_parameter', 'temperature', { temperature: 1.5, messages: [hello] }],
  ['invalid_parameter', 'stop_sequences', { stop_sequences: ['1', '2', '3', '4', '5'], messages: [hello] }],
  ['invalid_parameter', 'messages[0].role', { messages: [{ role: 'tool', content: 'a' }] }],
  ['missing_parameter', 'messages[0].content', { messages: [{ role: 'user' }] }],
  ['invalid_parameter', 'messages[0].content', { messages: [{ role: 'user', content: 5 }] }],
  ['missing_parameter', 'messages[1].content[1].type', user(text, {})],
  ['invalid_parameter', 'messages[1].content[1]', user(text, 'b')],
  ['missing_parameter', 'messages[1].content[0].text', user({ type: 'text' })],
  ['unsupported_parameter', 'messages[1].content[0].type', user({ type: 'server_tool_use' })],
  ['unsupported_parameter', 'messages[1].content[0].type', user({ type: 'constructor' })],
  [
    'missing_parameter',
    'messages[1].content[0].source.data',
    user({ type: 'image', source: { type: 'base64', media_type: 'image/png' } }),
  ],
  [
    'unsupported_parameter',
    'messages[1].content[0].source.file_id',
    user({ type: 'image', source: { type: 'file', file_id: 'f' } }),
  ],
  ['missing_parameter', 'messages[1].content[0].tool_use_id', user({ type: 'tool_result' })],
  [
    'missing_parameter',
    'messages[1].content[0].content[0].text',
    user({ type: 'tool_result', tool_use_id: 'a', content: [{ type: 'text' }] }),
  ],
  ['unsupported_parameter', 'system[0].type', { system: [{ type: 'image' }], messages: [hello] }],
  ['invalid_parameter', 'system', { system: 5, messages: [hello] }],
  ['missing_parameter', 'tools[1].input_schema', { tools: [tool, { name: 'a' }], messages: [hello] }],
  ['unsupported_parameter', 'tools[0].type', { tools: [{ type: 'bash_20250124', name: 'bash' }], messages: [hello] }],
  ['unsupported_parameter', 'tool_choice.type', { tools: [tool], tool_choice: { type: 'some' }, messages: [hello] }],
  ['missing_parameter', 'tool_choice.name', { tools: [tool], tool_choice: { type: 'tool' }, messages: [hello] }],
  ['invalid_parameter', 'tool_choice', { tool_choice: { type: 'any' }, messages: [hello] }],
  [
    'invalid_parameter',
    'thinking.budget_tokens',
    { thinking: { type: 'enabled', budget_tokens: 5 }, messages: [hello] },
  ],
  ['invalid_parameter', 'output_config.effort', { output_config: { effort: 'huge' }, messages: [hello] }],
  ['invalid_parameter', 'metadata.user_id', { metadata: { user_id: 5 }, messages: [hello] }],
  ['unsupported_parameter', 'mcp_servers', { mcp_servers: [{ name: 'a' }], messages: [hello] }],
])('an error names the parameter of the Messages request: %s %s', (code, param, members) => {
  try {
    parse(members);
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    expect({ code: error.code, param: error.param, status: error.status }).toEqual({
      code: code as GatewayError['code'],
      param,
      status: 400,
    });
    expect(error.message).toContain(`'${param}'`);
    return;
  }
  throw new Error('the request was accepted');
});
