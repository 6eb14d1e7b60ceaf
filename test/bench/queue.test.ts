/** Requests that wait for a connection keep their order. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { Queue } from '../../bench/load/queue.ts';

test('the first request in is the first out, however adding and taking alternate', () => {
  fc.assert(
    fc.property(fc.array(fc.boolean()), (adds) => {
      const queue = new Queue<number>();
      const model: number[] = [];
      for (const [item, isAdded] of adds.entries()) {
        if (isAdded) {
          queue.add(item);
          model.push(item);
        } else expect(queue.take()).toBe(model.shift());
      }
    }),
  );
});
