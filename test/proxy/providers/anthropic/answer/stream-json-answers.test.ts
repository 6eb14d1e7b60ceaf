/** JSON answers that come as the input of a tool. */
import { describe, expect, test } from 'bun:test';
import { answer, assemble, block, end, json, runEvents, text, textBlock, toolUse } from '../message-events.ts';

describe('JSON answers by a tool', () => {
  const asJson = { jsonTool: 'json' };
  const jsonBlock = (index: number) => block(index, toolUse('a', 'json'), [json('{"city":'), json('"Oslo"}')]);

  test('the tool’s input is the content, and the answer has simply stopped', () => {
    const { chunks } = runEvents([...answer(jsonBlock(0)), ...end('tool_use')], asJson);
    expect(assemble(chunks)).toMatchObject({ content: '{"city":"Oslo"}', calls: [], finishReasons: ['stop'] });
  });

  test('text beside the tool call is left out, and without a call the text is the answer', () => {
    const aside = block(0, textBlock, [text('Here it is:')]);
    const both = runEvents([...answer(aside, jsonBlock(1)), ...end('tool_use')], asJson);
    expect(assemble(both.chunks).content).toBe('{"city":"Oslo"}');
    const only = runEvents([...answer(aside), ...end('end_turn')], asJson);
    expect(assemble(only.chunks)).toMatchObject({ content: 'Here it is:', finishReasons: ['stop'] });
  });

  test('a call of another tool is a tool call', () => {
    const { chunks } = runEvents([...answer(block(0, toolUse('b', 'weather'))), ...end('tool_use')], asJson);
    expect(assemble(chunks)).toMatchObject({
      content: '',
      calls: [{ name: 'weather' }],
      finishReasons: ['tool_calls'],
    });
  });

  test('without a schema, a tool of that name is the client’s own', () => {
    const { chunks } = runEvents([...answer(jsonBlock(0)), ...end('tool_use')]);
    expect(assemble(chunks)).toMatchObject({ calls: [{ name: 'json' }], finishReasons: ['tool_calls'] });
  });
});
