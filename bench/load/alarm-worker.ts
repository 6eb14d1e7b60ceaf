/**
 * Wakes the load generator at exact moments. Timers of the event loop know whole milliseconds only, and a loop that looks
 * at the clock all the time would take the core from the servers beside it; a thread that sleeps in the kernel does neither.
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
