/** Repeats a step until it is stopped; a failure is logged and followed by a growing pause. */
import { Counter } from 'prom-client';
import type { Log } from '../../shared/log.ts';
import { withoutParameters } from '../database/errors.ts';

const failureCounter = new Counter({
  name: 'gateway_worker_failures_total',
  help: 'Steps of background work that failed; each is repeated',
  labelNames: ['worker'],
});

/** Of a worker, from 0 on. */
export function failuresOf(worker: string): Counter.Internal {
  const failures = failureCounter.labels(worker);
  failures.inc(0);
  return failures;
}

export interface Repetition {
  /** Resolves when the running step has ended. */
  stop(): Promise<void>;
}

const failurePauseMinMs = 200;
const failurePauseMaxMs = 10_000;

export function repeat(options: { name: string; pauseMs: number; log: Log; step: () => Promise<unknown> }): Repetition {
  let stopped = false;
  let endPause = () => {};
  // Not a race with a promise of the worker's whole life, which would keep something of each pause.
  const pause = (ms: number) =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      endPause = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  const failureCount = failuresOf(options.name);

  const run = async () => {
    let failures = 0;
    while (!stopped) {
      let pauseMs = options.pauseMs;
      try {
        await options.step();
        failures = 0;
      } catch (error) {
        failures += 1;
        failureCount.inc();
        pauseMs = Math.min(failurePauseMinMs * 2 ** Math.min(failures, 10), failurePauseMaxMs);
        options.log.error(
          { worker: options.name, err: withoutParameters(error), failures },
          'worker step failed; it will be retried',
        );
      }
      if (pauseMs > 0 && !stopped) await pause(pauseMs);
    }
  };
  const running = run();
  return {
    stop: async () => {
      stopped = true;
      endPause();
      await running;
    },
  };
}
