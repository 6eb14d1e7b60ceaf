/** What providers return about their batches is checked before it is used. */
import { expect, test } from 'bun:test';
import { UpstreamFailure } from '../../../proxy/nouns/upstream-failure.ts';
import { idOf } from '../../../proxy/providers/batch-api.ts';

test('an id is a segment of a path', () => {
  expect(idOf({ id: 'batch_0-Az' })).toBe('batch_0-Az');
  for (const id of [undefined, null, 7, '', '..', 'batch_1/cancel', 'batch_1?x', 'batch 1', 'batch_1\n']) {
    expect(() => idOf({ id })).toThrow(UpstreamFailure);
  }
});
