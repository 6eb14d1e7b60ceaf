/** Tools, the tool choice, and JSON responses. */
import { describe, expect, test } from 'bun:test';
import { ephemeral, jsonSchema, schema, upstreamBody, user, weather } from '../chat-call.ts';

describe('the tools of a request to Anthropic', () => {
  const upstreamTool = {
    name: 'weather',
    description: 'The weather of a place',
    input_schema: { type: 'object', properties: { place: { type: 'string' } } },
  };
  test('are functions without `strict`, with an empty object for missing parameters', () => {
    const bare = { type: 'function', function: { name: 'now' }, cache_control: ephemeral };
    expect(upstreamBody({ tools: [weather, bare] })).toMatchObject({
      tools: [upstreamTool, { name: 'now', input_schema: { type: 'object' }, cache_control: ephemeral }],
    });
    expect(upstreamBody({ tools: [weather] }).tools).toEqual([upstreamTool]);
    expect(upstreamBody({ tools: [weather] }).tool_choice).toBeUndefined();
  });

  const named = { type: 'function', function: { name: 'weather' } };
  const choices: readonly [object, object | undefined][] = [
    [{ tool_choice: 'auto' }, { type: 'auto' }],
    [{ tool_choice: 'none' }, { type: 'none' }],
    [{ tool_choice: 'none', parallel_tool_calls: false }, { type: 'none' }],
    [{ tool_choice: 'required' }, { type: 'any' }],
    [{ tool_choice: named }, { type: 'tool', name: 'weather' }],
    [{ parallel_tool_calls: false }, { type: 'auto', disable_parallel_tool_use: true }],
    [
      { tool_choice: 'required', parallel_tool_calls: false },
      { type: 'any', disable_parallel_tool_use: true },
    ],
    [
      { tool_choice: named, parallel_tool_calls: false },
      { type: 'tool', name: 'weather', disable_parallel_tool_use: true },
    ],
    [{ parallel_tool_calls: true }, undefined],
  ];
  for (const [fields, expected] of choices) {
    test(`are translated from ${JSON.stringify(fields)} to ${JSON.stringify(expected)}`, () => {
      const { tool_choice: choice } = upstreamBody({ tools: [weather], ...fields });
      expect(choice).toEqual(expected);
    });
  }

  test('may be missing, which leaves the tool choice out', () => {
    expect(upstreamBody({ tool_choice: 'auto', parallel_tool_calls: false, tools: [] })).toEqual(upstreamBody({}));
  });
});

describe('a JSON response of Anthropic', () => {
  test('is requested by a tool for the schema that has to be called', () => {
    expect(upstreamBody({ response_format: jsonSchema })).toMatchObject({
      tools: [{ name: 'json', input_schema: schema }],
      tool_choice: { type: 'tool', name: 'json', disable_parallel_tool_use: true },
    });
  });

  test('can be requested beside other tools, and the schema’s tool has a unique name', () => {
    const tools = [weather, { type: 'function', function: { name: 'json' } }];
    expect(upstreamBody({ tools, response_format: jsonSchema })).toMatchObject({
      tools: [{ name: 'weather' }, { name: 'json' }, { name: 'json_', input_schema: schema }],
      tool_choice: { type: 'any', disable_parallel_tool_use: true },
    });
    expect(upstreamBody({ tools, tool_choice: 'none', response_format: jsonSchema }).tool_choice).toEqual({
      type: 'tool',
      name: 'json_',
      disable_parallel_tool_use: true,
    });
  });

  test('is requested as native structured output if the provider has it', () => {
    const body = upstreamBody({ response_format: jsonSchema }, { quirks: { structuredOutput: 'native' } });
    expect(body.output_config).toEqual({ format: { type: 'json_schema', schema } });
    expect(body.tools).toBeUndefined();
  });

  test('is requested by an instruction if there is no schema', () => {
    for (const format of [{ type: 'json_object' }, { type: 'json_schema', json_schema: { name: 'x' } }]) {
      const body = upstreamBody({
        response_format: format,
        messages: [{ role: 'system', content: 'Be brief.' }, user('Hi')],
      });
      expect(body.system).toEqual([
        { type: 'text', text: 'Be brief.' },
        { type: 'text', text: expect.stringContaining('JSON') },
      ]);
      expect(body.tools).toBeUndefined();
    }
    expect(upstreamBody({ response_format: { type: 'text' } })).toEqual(upstreamBody({}));
  });
});
