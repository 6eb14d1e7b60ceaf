/**
 * The longest stall of a program's event loop, for Prometheus. During a stall no request is answered and no stream
 * advances, so one slow piece of work, a long garbage collection or a machine without a free core delays every request
 * alike.
 *
 * The window slides by a minute, not by scrapes, so that several scrapers of /metrics see the same value. The measuring
 * timer is our own: the runtime has one histogram per process, and prom-client resets it at each scrape.
 */
import { Gauge, type Registry } from 'prom-client';

/** Also the maximum by which a stall is underestimated. */
const tickMs = 25;
const windowMs = 60_000;

/** Starts watching. */
export function registerEventLoopStalls(registry: Registry): void {
  let tickedAtMs = performance.now();
  let longestMs = 0;
  let longestBeforeMs = 0;
  const look = () => {
    longestMs = Math.max(longestMs, performance.now() - tickedAtMs - tickMs);
  };
  setInterval(() => {
    look();
    tickedAtMs = performance.now();
  }, tickMs).unref();
  setInterval(() => {
    longestBeforeMs = longestMs;
    longestMs = 0;
  }, windowMs).unref();
  new Gauge({
    name: 'gateway_event_loop_longest_stop_seconds',
    help: 'The longest stall of the event loop in this minute and the one before; all requests wait during it.',
    registers: [registry],
    collect() {
      // A scrape may come before the late tick.
      look();
      this.set(Math.max(longestBeforeMs, longestMs) / 1_000);
    },
  });
}
