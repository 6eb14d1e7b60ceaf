/**
 * Wakes the load generator at exact times. Timers of the event loop have a resolution of 1 ms, and a loop that polls
 * the clock would take the core from the servers beside it; a thread that sleeps in the kernel avoids both.
 *
 * It says once that it runs; then it is told when.
 */
declare const self: Worker;

self.onmessage = ({ data }: MessageEvent<{ dueMs: Float64Array; startAtMs: number }>) => {
  const { dueMs, startAtMs } = data;
  const never = new Int32Array(new SharedArrayBuffer(4));
  for (const due of dueMs) {
    const waitMs = startAtMs + due - (performance.timeOrigin + performance.now());
    if (waitMs < 0) continue;
    Atomics.wait(never, 0, 0, waitMs);
    self.postMessage(null);
  }
};
self.postMessage(null);
