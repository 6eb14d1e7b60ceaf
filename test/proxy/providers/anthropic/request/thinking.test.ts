/** Sampling parameters, and how much the model may think. */
import { describe, expect, test } from 'bun:test';
import { assistant, jsonSchema, toolCall, upstreamBody, user, weather } from '../chat-call.ts';

describe('sampling parameters for Anthropic are translated:', () => {
  const translations: readonly [object, object][] = [
    [{ temperature: 0 }, { temperature: 0 }],
    [{ temperature: 1.7 }, { temperature: 1 }],
    [{ temperature: null, top_p: 0.5 }, { top_p: 0.5 }],
    [{ temperature: 0.3, top_p: 1 }, { temperature: 0.3 }],
    [{ temperature: 1, top_p: 0.5 }, { top_p: 0.5 }],
    [
      { temperature: 0.3, top_p: 0.5 },
      { temperature: 0.3, top_p: 0.5 },
    ],
    [{ top_k: 40 }, { top_k: 40 }],
    [
      { top_k: 1, temperature: 0.3, top_p: 1 },
      { top_k: 1, temperature: 0.3 },
    ],
    [{ top_k: 0 }, {}],
    [{ top_k: -1 }, {}],
    [{ top_k: null }, {}],
    [{ stop: 'END' }, { stop_sequences: ['END'] }],
    [{ stop: ['a', '', 'b'] }, { stop_sequences: ['a', 'b'] }],
    [{ stop: '' }, {}],
    [{ user: 'u-1' }, { metadata: { user_id: 'u-1' } }],
    [{ frequency_penalty: 0, presence_penalty: 0, logprobs: false, top_logprobs: 0, logit_bias: {}, seed: 1 }, {}],
  ];
  for (const [fields, expected] of translations) {
    test(`${JSON.stringify(fields)} → ${JSON.stringify(expected)}`, () => {
      expect(upstreamBody({ ...fields })).toEqual({ ...upstreamBody({}), ...expected });
    });
  }
});

describe('thinking', () => {
  const thinking = (budget: number) => ({ thinking: { type: 'enabled', budget_tokens: budget } });
  const translations: readonly [object, number, object][] = [
    [{ reasoning_effort: 'low' }, 4096, thinking(1024)],
    [{ reasoning_effort: 'medium' }, 4096, thinking(2048)],
    [{ reasoning_effort: 'high' }, 8192, thinking(4096)],
    [{ reasoning: { effort: 'high' } }, 8192, thinking(4096)],
    [{ reasoning: { max_tokens: 3000 }, reasoning_effort: 'low' }, 8192, thinking(3000)],
    [{ reasoning: { max_tokens: 10 } }, 8192, thinking(1024)],
    [{ reasoning_effort: 'none' }, 8192, {}],
    // The budget is part of the cap, and the response needs the rest.
    [{ reasoning_effort: 'high' }, 4096, thinking(3840)],
    [{ reasoning_effort: 'high' }, 1280, thinking(1024)],
    [{ reasoning_effort: 'high', temperature: 0.5 }, 1279, { temperature: 0.5 }],
    [{ reasoning_effort: 'low', temperature: 0.5, top_p: 0.5, top_k: 40 }, 4096, thinking(1024)],
    [{ reasoning_effort: 'low', top_p: 0.95 }, 4096, { ...thinking(1024), top_p: 0.95 }],
  ];
  for (const [fields, outputCap, expected] of translations) {
    test(`is translated from ${JSON.stringify(fields)} within ${outputCap} to ${JSON.stringify(expected)}`, () => {
      expect(upstreamBody({ ...fields }, { outputCap })).toEqual({ ...upstreamBody({}, { outputCap }), ...expected });
    });
  }

  const request = { reasoning_effort: 'low' };
  const toolTurn = (extra: object) => [
    user('Go'),
    assistant(null, { tool_calls: [toolCall('c1', 'weather', '{}')], ...extra }),
    { role: 'tool', tool_call_id: 'c1', content: 'cold' },
  ];
  test('is only continued after tool calls if the earlier thinking was sent back', () => {
    expect(upstreamBody({ ...request, tools: [weather], messages: toolTurn({}) }).thinking).toBeUndefined();
    const signed = toolTurn({ thinking_blocks: [{ type: 'thinking', thinking: 'hm', signature: 's' }] });
    expect(upstreamBody({ ...request, tools: [weather], messages: signed }).thinking).toBeDefined();
    const finished = [...toolTurn({}), assistant('Cold.'), user('And tomorrow?')];
    expect(upstreamBody({ ...request, tools: [weather], messages: finished }).thinking).toBeDefined();
  });

  test('gives way to a required tool, a schema and a prefilled answer', () => {
    expect(upstreamBody({ ...request, tools: [weather], tool_choice: 'required' }).thinking).toBeUndefined();
    expect(upstreamBody({ ...request, response_format: jsonSchema }).thinking).toBeUndefined();
    expect(upstreamBody({ ...request, messages: [user('Go'), assistant('It')] }).thinking).toBeUndefined();
    const native = { quirks: { structuredOutput: 'native' as const } };
    expect(upstreamBody({ ...request, response_format: jsonSchema }, native).thinking).toBeDefined();
  });

  test('has neither a budget nor sampling parameters for models with effort control', () => {
    const quirks = { reasoningControl: 'effort' as const };
    const adaptive = { thinking: { type: 'adaptive', display: 'summarized' } };
    const plain = upstreamBody({}, { quirks });
    expect(upstreamBody({ reasoning_effort: 'xhigh', temperature: 0, top_p: 0.5 }, { quirks })).toEqual({
      ...plain,
      ...adaptive,
      output_config: { effort: 'xhigh' },
    });
    expect(upstreamBody({ reasoning: { max_tokens: 1500 } }, { quirks }).output_config).toEqual({ effort: 'medium' });
    expect(upstreamBody({ reasoning: { max_tokens: 99_999 } }, { quirks }).output_config).toEqual({ effort: 'high' });
    expect(upstreamBody({ temperature: 0, top_k: 40 }, { quirks })).toEqual(plain);
    expect(upstreamBody({ ...request, tools: [weather], tool_choice: 'required' }, { quirks })).toMatchObject({
      output_config: { effort: 'low' },
    });
  });
});
