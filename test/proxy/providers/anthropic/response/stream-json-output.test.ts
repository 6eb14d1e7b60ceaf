/** JSON responses that arrive as the input of a tool. */
import { describe, expect, test } from 'bun:test';
import { assemble, block, end, json, response, runEvents, text, textBlock, toolUse } from '../message-events.ts';

describe('a JSON response', () => {
  const asJson = { jsonTool: 'json' };
  const jsonBlock = (index: number) => block(index, toolUse('a', 'json'), [json('{"city":'), json('"Oslo"}')]);

  test('has the tool’s input as content, and the reason stop', () => {
    const { chunks } = runEvents([...response(jsonBlock(0)), ...end('tool_use')], asJson);
    expect(assemble(chunks)).toMatchObject({ content: '{"city":"Oslo"}', calls: [], finishReasons: ['stop'] });
  });

  test('has no other text beside a tool call, and is the text if there is no call', () => {
    const aside = block(0, textBlock, [text('Here it is:')]);
    const both = runEvents([...response(aside, jsonBlock(1)), ...end('tool_use')], asJson);
    expect(assemble(both.chunks).content).toBe('{"city":"Oslo"}');
    const only = runEvents([...response(aside), ...end('end_turn')], asJson);
    expect(assemble(only.chunks)).toMatchObject({ content: 'Here it is:', finishReasons: ['stop'] });
  });

  test('does not affect a call of another tool', () => {
    const { chunks } = runEvents([...response(block(0, toolUse('b', 'weather'))), ...end('tool_use')], asJson);
    expect(assemble(chunks)).toMatchObject({
      content: '',
      calls: [{ name: 'weather' }],
      finishReasons: ['tool_calls'],
    });
  });

  test('needs a schema: without one, a tool of that name is the client’s own', () => {
    const { chunks } = runEvents([...response(jsonBlock(0)), ...end('tool_use')]);
    expect(assemble(chunks)).toMatchObject({ calls: [{ name: 'json' }], finishReasons: ['tool_calls'] });
  });
});
