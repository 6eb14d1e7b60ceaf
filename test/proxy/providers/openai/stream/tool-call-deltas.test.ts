/** However a provider streams its tool calls, each has its own index, one id, one name, and arguments. */
import { describe, expect, test } from 'bun:test';
import { collectChat } from '../collect.ts';
import { call, choice, end, mend } from '../mend.ts';

describe('streamed tool calls', () => {
  test('become one per chunk, each with its own index, and the end comes last', () => {
    const calls = ['a', 'b'].map((name) => ({ id: `id-${name}`, function: { name, arguments: '{"x":1}' } }));
    const mended = mend([choice({ role: 'assistant', content: null, tool_calls: calls }, 'tool_calls')]);
    expect(mended).toHaveLength(2);
    expect(collectChat(mended)).toMatchObject({
      finish: 'tool_calls',
      calls: [
        { id: 'id-a', name: 'a', arguments: '{"x":1}' },
        { id: 'id-b', name: 'b', arguments: '{"x":1}' },
      ],
    });
    expect(mended.map(({ choices }) => (choices as { finish_reason: unknown }[])[0]?.finish_reason)).toEqual([
      null,
      'tool_calls',
    ]);
  });

  test.each([
    ['in the last chunk', [choice(call({ index: 0, id: 'i', function: { name: 'f', arguments: '' } }), 'tool_calls')]],
    ['before it', [choice(call({ index: 0, id: 'i', function: { name: 'f' } })), end]],
    ['as white space', [choice(call({ index: 0, id: 'i', function: { name: 'f', arguments: ' ' } })), end]],
    ['as null', [choice(call({ index: 0, id: 'i', type: null, function: { name: 'f', arguments: null } })), end]],
  ])('have {} for missing arguments: %s', (_, chunks) => {
    const collected = collectChat(mend(chunks));
    expect(collected.calls.map(({ arguments: text }) => text.trim())).toEqual(['{}']);
    expect(collected.finish).toBe('tool_calls');
  });

  test('have text for arguments that are an object, and an id if it is missing', () => {
    const [made] = collectChat(mend([choice(call({ function: { name: 'f', arguments: { a: 1 } } })), end])).calls;
    expect(made).toMatchObject({ name: 'f', arguments: '{"a":1}' });
    expect(made?.id).toMatch(/^call_[0-9a-f]{32}$/);
  });

  test('are distinguished by their ids if all have index 0', () => {
    const whole = (id: string) =>
      choice(call({ index: 0, id, type: 'function', function: { name: 'f', arguments: `{"${id}":1}` } }));
    expect(collectChat(mend([whole('a'), whole('b'), end])).calls).toEqual([
      { id: 'a', name: 'f', arguments: '{"a":1}' },
      { id: 'b', name: 'f', arguments: '{"b":1}' },
    ]);
  });

  test('have an id and a name once, even if each delta repeats them', () => {
    const delta = (text: string) =>
      choice(call({ index: 0, id: 'a', type: 'function', function: { name: 'f', arguments: text } }));
    const empty = (text: string) => choice(call({ index: 0, id: '', function: { name: '', arguments: text } }));
    const mended = mend([delta(''), delta('{"x"'), delta(':'), empty('1'), empty('}'), end]);
    expect(collectChat(mended).calls).toEqual([{ id: 'a', name: 'f', arguments: '{"x":1}' }]);
  });

  test('include deltas without an index in the last call', () => {
    const chunk = (text: string) => choice(call({ function: { arguments: text } }));
    const start = (id: string) => choice(call({ id, function: { name: id, arguments: '' } }));
    const chunks = [
      start('a'),
      chunk('{"a":'),
      chunk('1'),
      chunk('}'),
      start('b'),
      chunk('{"b"'),
      chunk(':2'),
      chunk('}'),
      end,
    ];
    expect(collectChat(mend(chunks)).calls).toEqual([
      { id: 'a', name: 'a', arguments: '{"a":1}' },
      { id: 'b', name: 'b', arguments: '{"b":2}' },
    ]);
  });

  test('have indices from 0 instead of 1, and null is not a list of calls', () => {
    const mended = mend([
      choice({ role: 'assistant', content: 'x', tool_calls: null, function_call: null }),
      choice(call({ index: 1, id: 'a', function: { name: 'f', arguments: '{}' } })),
      end,
    ]);
    expect(collectChat(mended).calls).toEqual([{ id: 'a', name: 'f', arguments: '{}' }]);
  });
});
