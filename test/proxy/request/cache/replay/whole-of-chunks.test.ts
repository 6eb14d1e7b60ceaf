/** Chunks that a whole completion can say as well are joined; others are left to the provider. */
import { expect, test } from 'bun:test';
import { wholeOfChunks } from '../../../../../proxy/request/cache/replay/whole-of-chunks.ts';

const signed = { thinking_blocks: [{ type: 'thinking', thinking: '', signature: 'c2ln' }] };
const text = { content: 'Hi.' };
const call = {
  tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: { name: 'now', arguments: '{}' } }],
};
const wholeOf = (...deltas: object[]) => {
  const opening = { role: 'assistant', content: '' };
  const choices = [opening, ...deltas].map((delta) => ({ index: 0, delta, finish_reason: null }));
  return wholeOfChunks(
    choices.map((choice) => ({ id: 'c', choices: [choice] })),
    'chat',
  );
};

test('signed thinking is only joined to a whole message that begins with it', () => {
  expect(wholeOf(signed, signed, text, call)?.choices).toMatchObject([
    { message: { content: 'Hi.', thinking_blocks: [...signed.thinking_blocks, ...signed.thinking_blocks] } },
  ]);
  expect(wholeOf(text, signed, call)).toBeUndefined();
  expect(wholeOf(signed, call, signed)).toBeUndefined();
});
