/** Counts batches and their lines for Prometheus, as this process runs them. */

interface InFlight {
  readonly batches: number;
  /** Lines that are answered one by one. */
  readonly here: number;
  /** Lines that wait for a batch of their provider. */
  readonly provider: number;
}

export class BatchMetrics {
  /** Lines by what came of an attempt. */
  readonly lines = { answered: 0, failed: 0, postponed: 0 };
  /** Failures of the storage, of Redis or of the lease: while batches were looked for, or while one was run. */
  readonly failures = { look: 0, run: 0 };
  /** Unix milliseconds: when the oldest batch was created that has not ended, of all organizations. */
  oldestAtMs: number | undefined;
  /** Set by what runs batches. */
  inFlight: () => InFlight = () => ({ batches: 0, here: 0, provider: 0 });

  /** In seconds. */
  get oldestAge(): number {
    return this.oldestAtMs === undefined ? 0 : Math.max(0, (Date.now() - this.oldestAtMs) / 1_000);
  }
}
