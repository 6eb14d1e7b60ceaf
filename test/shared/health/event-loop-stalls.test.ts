/** The watchdog of the event loop, on this process's own loop. */
import { expect, test } from 'bun:test';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { registerEventLoopStalls } from '../../../shared/health/event-loop-stalls.ts';

test('a stall of the event loop is in the metrics with its length, however often they are read', async () => {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  registerEventLoopStalls(registry);
  const longestMs = async () =>
    1_000 * Number(/^gateway_event_loop_longest_stop_seconds (\S+)$/m.exec(await registry.metrics())?.[1]);
  expect(await longestMs()).toBeGreaterThanOrEqual(0);
  const stopMs = 300;
  Bun.sleepSync(stopMs);
  // A tick may have been due when the stall began.
  const expectedMs = stopMs - 30;
  expect(await longestMs()).toBeGreaterThan(expectedMs);
  await Bun.sleep(50);
  expect(await longestMs()).toBeGreaterThan(expectedMs);
});
