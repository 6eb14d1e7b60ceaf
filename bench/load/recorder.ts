/** Records the load generator's observations in the measured interval. */
import { Histogram } from '../measure/histogram.ts';

export class Recorder {
  readonly latency = new Histogram();
  readonly firstChunk = new Histogram();
  readonly gap = new Histogram();
  readonly failures: Record<string, number> = {};
  requests = 0;
  chunks = 0;
  #isOpen = false;

  open(): void {
    this.#isOpen = true;
  }

  close(): void {
    this.#isOpen = false;
  }

  completed(latencyMs: number): void {
    if (!this.#isOpen) return;
    this.requests += 1;
    this.latency.record(latencyMs * 1_000);
  }

  /** `sinceMs` is the time since the stream's last event, or since its request for the first one. */
  received(chunks: number, sinceMs: number, isFirst: boolean): void {
    if (!this.#isOpen) return;
    this.chunks += chunks;
    (isFirst ? this.firstChunk : this.gap).record(sinceMs * 1_000);
    // Events that arrived together have no gap between them.
    for (let more = 1; more < chunks; more += 1) this.gap.record(0);
  }

  /** Also outside of the measured interval: no failure is hidden. */
  failed(reason: string): void {
    this.failures[reason] = (this.failures[reason] ?? 0) + 1;
  }
}
