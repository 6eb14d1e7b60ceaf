/** What a Responses request may not contain, each with the code and parameter of the error. */
import { expect, test } from 'bun:test';
import { GatewayError } from '../../../../shared/errors.ts';
import { parseResponses } from '../parse.ts';

function refusalOf(request: object): string {
  try {
    parseResponses(JSON.stringify({ model: 'test/chat', input: 'Hello?', ...request }));
  } catch (error) {
    if (error instanceof GatewayError) return `${error.code} ${error.param}`;
    throw error;
  }
  return 'accepted';
}

const item = (value: object) => ({ input: [{ role: 'user', content: 'Hello?' }, value] });
const part = (value: object) => ({ input: [{ role: 'user', content: [value] }] });
const namespaceOf = (...inner: object[]) => ({ tools: [{ type: 'namespace', name: 'n', tools: inner }] });
const allowed = (...named: object[]) => ({ type: 'allowed_tools', mode: 'auto', tools: named });
const tools = [{ type: 'function', name: 'weather', parameters: {}, strict: true }];

const refusals: readonly [object, string][] = [
  [{ input: undefined }, 'missing_parameter input'],
  [{ input: 7 }, 'invalid_parameter input'],
  [{ input: [] }, 'invalid_parameter input'],
  [{ model: undefined }, 'missing_parameter model'],
  [{ model: '' }, 'invalid_parameter model'],
  [{ temperature: 2.1 }, 'invalid_parameter temperature'],
  [{ max_output_tokens: 0 }, 'invalid_parameter max_output_tokens'],
  [{ stream: 'yes' }, 'invalid_parameter stream'],
  [{ reasoning: { effort: 'enormous' } }, 'invalid_parameter reasoning.effort'],
  [{ metadata: { a: 1 } }, 'invalid_parameter metadata'],
  [{ truncation: 'middle' }, 'invalid_parameter truncation'],
  // Features that a stateless gateway does not have.
  [{ previous_response_id: 'resp_1' }, 'unsupported_parameter previous_response_id'],
  [{ conversation: { id: 'conv_1' } }, 'unsupported_parameter conversation'],
  [{ prompt: { id: 'pmpt_1' } }, 'unsupported_parameter prompt'],
  [{ background: true }, 'unsupported_parameter background'],
  [{ previous_response_id: null, conversation: null, prompt: null, background: null, store: true }, 'accepted'],
  [item({ type: 'item_reference', id: 'msg_1' }), 'unsupported_parameter input[1].type'],
  [part({ type: 'input_image', file_id: 'file_1' }), 'unsupported_parameter input[0].content[0].file_id'],
  [part({ type: 'input_file', file_id: 'file_1' }), 'unsupported_parameter input[0].content[0].file_id'],
  // Parameters that determine the cost cannot be sent under their other name.
  [{ n: 5 }, 'unsupported_parameter n'],
  [{ max_tokens: 5 }, 'unsupported_parameter max_tokens'],
  [{ max_completion_tokens: 5 }, 'unsupported_parameter max_completion_tokens'],
  [{ messages: [] }, 'unsupported_parameter messages'],
  [{ response_format: { type: 'json_object' } }, 'unsupported_parameter response_format'],
  [{ stop: 7 }, 'invalid_parameter stop'],
  // Tools.
  ...['computer_use_preview', 'local_shell', 'shell', 'apply_patch', 'constructor'].map((type): [object, string] => [
    { tools: [...tools, { type }] },
    'unsupported_parameter tools[1].type',
  ]),
  [{ tools: [{ type: 'custom' }] }, 'missing_parameter tools[0].name'],
  [{ tools: [{ type: 'custom', name: 'c', format: { type: 'xml' } }] }, 'invalid_parameter tools[0].format'],
  [{ tools: [{ type: 'namespace', name: 'n' }] }, 'missing_parameter tools[0].tools'],
  [namespaceOf({ type: 'namespace', name: 'm', tools: [] }), 'unsupported_parameter tools[0].tools[0].type'],
  [namespaceOf({ type: 'function' }), 'missing_parameter tools[0].tools[0].name'],
  [item({ type: 'additional_tools', role: 'developer' }), 'missing_parameter input[1].tools'],
  [item({ type: 'additional_tools', tools: [{ type: 'shell' }] }), 'unsupported_parameter input[1].tools[0].type'],
  [item({ type: 'custom_tool_call', call_id: 'a', name: 'c' }), 'missing_parameter input[1].input'],
  [item({ type: 'custom_tool_call_output', call_id: 'a', output: 7 }), 'invalid_parameter input[1].output'],
  [{ tools: [{ type: 'function' }] }, 'missing_parameter tools[0].name'],
  [{ tools: [null] }, 'invalid_parameter tools[0]'],
  [{ tools, tool_choice: 'any' }, 'invalid_parameter tool_choice'],
  [{ tools, tool_choice: { type: 'function', name: 'clock' } }, 'invalid_parameter tool_choice.name'],
  [{ tools, tool_choice: { type: 'local_shell' } }, 'unsupported_parameter tool_choice.type'],
  [{ tools, tool_choice: { type: 'custom', name: 'clock' } }, 'invalid_parameter tool_choice.name'],
  [{ tools, tool_choice: allowed({ type: 'namespace', name: 'n' }) }, 'invalid_parameter tool_choice.tools[0].name'],
  [{ tool_choice: 'required' }, 'invalid_parameter tool_choice'],
  [
    { tools, tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'clock' }] } },
    'invalid_parameter tool_choice.tools[0].name',
  ],
  [{ tools, tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [] } }, 'invalid_parameter tool_choice.tools'],
  // The text format.
  [{ text: { format: { type: 'xml' } } }, 'invalid_parameter text.format.type'],
  [{ text: { format: { type: 'json_schema', name: 'n' } } }, 'missing_parameter text.format.schema'],
  [{ text: { verbosity: 'loud' } }, 'invalid_parameter text.verbosity'],
  // Unsupported values of `include`.
  [{ include: ['reasoning.encrypted_content', 'web_search_call.action.sources'] }, 'accepted'],
  [{ include: ['message.output_text.logprobs'] }, 'unsupported_parameter include[0]'],
  [{ include: ['reasoning.encrypted_content', 'everything'] }, 'invalid_parameter include[1]'],
  [{ top_logprobs: 3 }, 'unsupported_parameter top_logprobs'],
  [{ top_logprobs: 0 }, 'accepted'],
  // Items and parts.
  [item({ type: 'computer_call_output', call_id: 'a' }), 'unsupported_parameter input[1].type'],
  [item({ type: 'constructor' }), 'unsupported_parameter input[1].type'],
  [item({ content: 'of nobody' }), 'missing_parameter input[1].type'],
  [item({ role: 'tool', content: 'x' }), 'invalid_parameter input[1].role'],
  [item({ role: 'user' }), 'missing_parameter input[1].content'],
  [item({ type: 'function_call', name: 'weather', arguments: '{}' }), 'missing_parameter input[1].call_id'],
  [item({ type: 'function_call', call_id: 'a', name: 'w', arguments: {} }), 'invalid_parameter input[1].arguments'],
  [item({ type: 'function_call_output', call_id: 'a', output: 7 }), 'invalid_parameter input[1].output'],
  [
    item({ type: 'function_call_output', call_id: 'a', output: [{ type: 'text', text: 'x' }] }),
    'invalid_parameter input[1].output[0].type',
  ],
  // Tools of another service.
  [item({ type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'gAAAAABo' }), 'accepted'],
  [
    item({ type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'thoughts1.e30' }),
    'invalid_parameter input[1].encrypted_content',
  ],
  [part({ type: 'input_text' }), 'missing_parameter input[0].content[0].text'],
  [part({ type: 'input_image' }), 'invalid_parameter input[0].content[0].image_url'],
  [part({ type: 'input_file', filename: 'a.pdf' }), 'invalid_parameter input[0].content[0].file_data'],
  [
    { input: [{ role: 'assistant', content: [{ type: 'input_image' }] }] },
    'invalid_parameter input[0].content[0].type',
  ],
];

for (const [request, expected] of refusals) {
  test(`the request ${JSON.stringify(request)} is refused as ${expected}`, () => {
    expect(refusalOf(request)).toBe(expected);
  });
}

test('a body that is not a JSON object is refused as on other endpoints', () => {
  for (const body of ['', '[]', '{"model":']) {
    expect(() => parseResponses(body)).toThrow(expect.objectContaining({ code: 'invalid_json' }));
  }
});
