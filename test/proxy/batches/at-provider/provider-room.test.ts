/** Random lines that enter, leave and give up: never more than there is room for, and nobody waits while there is. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { ProviderRoom } from '../../../../proxy/batches/at-provider/provider-room.ts';

const [linesMax, bytesMax] = [5, 100];

test('lets in no more than there is room for, in the order of the calls', async () => {
  const steps = fc.array(
    fc.oneof(
      fc.record({ kind: fc.constant('enter' as const), bytes: fc.integer({ min: 1, max: bytesMax }) }),
      fc.record({ kind: fc.constantFrom('leave', 'giveUp'), at: fc.nat(20) }),
    ),
    { maxLength: 60 },
  );
  await fc.assert(
    fc.asyncProperty(steps, async (drawn) => {
      const room = new ProviderRoom({ lines: linesMax, bytes: bytesMax });
      const waiting: { bytes: number; abort: AbortController }[] = [];
      const inside: { bytes: number; release: () => void }[] = [];
      const entered: number[] = [];
      let number = 0;
      for (const step of drawn) {
        if (step.kind === 'enter') {
          const entry = { bytes: step.bytes, abort: new AbortController() };
          const own = number++;
          waiting.push(entry);
          room.acquire(step.bytes, entry.abort.signal).then(
            (release) => {
              waiting.splice(waiting.indexOf(entry), 1);
              inside.push({ bytes: step.bytes, release });
              entered.push(own);
            },
            () => void waiting.splice(waiting.indexOf(entry), 1),
          );
        } else if (step.kind === 'leave') {
          const [left] = inside.splice(step.at % Math.max(1, inside.length), 1);
          left?.release();
          left?.release();
        } else waiting[step.at % Math.max(1, waiting.length)]?.abort.abort();
        await Promise.resolve().then(() => {});
        const bytes = inside.reduce((sum, each) => sum + each.bytes, 0);
        expect(inside.length).toBeLessThanOrEqual(linesMax);
        expect(bytes).toBeLessThanOrEqual(bytesMax);
        expect(room.lines).toBe(inside.length);
        const [next] = waiting;
        if (next !== undefined) expect(inside.length === linesMax || bytes + next.bytes > bytesMax).toBe(true);
      }
      expect(entered).toEqual([...entered].sort((one, other) => one - other));
    }),
    { numRuns: 300 },
  );
});
