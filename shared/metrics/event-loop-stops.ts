/**
 * The longest stop of a program's event loop, for Prometheus. While it stops nobody is answered and no stream goes on,
 * so one slow piece of work, a long collection of garbage or a machine without a free core delays every request alike.
 *
 * The window slides by a minute and not by scrapes, so that several readers of /metrics see the same. A timer of our own
 * measures, as the runtime has one histogram a process, and prom-client empties it at each scrape.
 */
import { Gauge, type Registry } from 'prom-client';

/** Also what a stop may be measured too short by. */
const tickMs = 25;
const windowMs = 60_000;

/** Watches from now on. */
export function registerEventLoopStops(registry: Registry): void {
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
    help: 'The longest stop of the event loop in this minute and the one before; no request moves meanwhile.',
    registers: [registry],
    collect() {
      // Who asks may come before the tick that is late.
      look();
      this.set(Math.max(longestBeforeMs, longestMs) / 1_000);
    },
  });
}
