/** Tools and the tool choice in Gemini’s format. */
import { describe, expect, test } from 'bun:test';
import { refusal, sent } from '../chat-call.ts';

describe('the tools of a Gemini request', () => {
  const tool = (name: string, parameters?: object) => ({ type: 'function', function: { name, parameters } });
  const weather = tool('weather', { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] });

  test('are declared as functions, without parameters if they have none', () => {
    const body = sent({
      tools: [
        { type: 'function', function: { name: 'now', description: 'The time.' } },
        tool('ping', { type: 'object', properties: {}, additionalProperties: false }),
        weather,
      ],
    });
    expect(body.tools).toEqual([
      {
        functionDeclarations: [
          { name: 'now', description: 'The time.' },
          { name: 'ping' },
          { name: 'weather', parameters: weather.function.parameters },
        ],
      },
    ]);
    expect(body).not.toHaveProperty('toolConfig');
  });

  test('have a mode for every tool choice', () => {
    const config = (choice: unknown) => {
      const { toolConfig } = sent({ tools: [weather, tool('time')], tool_choice: choice }) as {
        toolConfig: { functionCallingConfig: unknown };
      };
      return toolConfig.functionCallingConfig;
    };
    expect(config('auto')).toEqual({ mode: 'AUTO' });
    expect(config('none')).toEqual({ mode: 'NONE' });
    expect(config('required')).toEqual({ mode: 'ANY' });
    expect(config({ type: 'function', function: { name: 'weather' } })).toEqual({
      mode: 'ANY',
      allowedFunctionNames: ['weather'],
    });
    const allowed = (mode: string) => ({
      type: 'allowed_tools',
      allowed_tools: { mode, tools: [{ type: 'function', function: { name: 'time' } }] },
    });
    expect(config(allowed('required'))).toEqual({ mode: 'ANY', allowedFunctionNames: ['time'] });
    expect(sent({ tools: [weather, tool('time')], tool_choice: allowed('auto') }).tools).toEqual([
      { functionDeclarations: [{ name: 'time' }] },
    ]);
    expect(refusal({ tools: [weather], tool_choice: 'perhaps' })).toEqual({
      code: 'invalid_parameter',
      param: 'tool_choice',
    });
  });

  test('may be missing, which leaves the choice out, and other kinds of tools are refused', () => {
    expect(sent({ tools: [], tool_choice: 'auto' })).not.toHaveProperty('toolConfig');
    expect(refusal({ tools: [{ type: 'custom', custom: { name: 'x' } }] })).toEqual({
      code: 'unsupported_parameter',
      param: 'tools[0].type',
    });
  });
});
