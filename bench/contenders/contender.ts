/** A server between the load generator and the upstream. Each scenario starts its own, so none inherits a heap. */
import type { Watched } from '../measure/process-usage.ts';

export interface Contender {
  readonly name: string;
  /** What a reader has to know about it. */
  readonly description: string;
  /** Undefined if it can stream, otherwise why it is left out of streams. */
  readonly whyNoStreams?: string;
  start(upstreamPort: number): Promise<RunningContender>;
}

export interface RunningContender {
  readonly port: number;
  readonly pid: number;
  /** One key per customer; a contender without customers has one. */
  readonly keys: readonly string[];
  /** Further headers that it needs. */
  readonly headers: Readonly<Record<string, string>>;
  /** Other processes that work for it, whose cost counts too. */
  readonly helpers: Watched;
  /** Resolves when the work left by the last load is done. */
  settled(): Promise<void>;
  stop(): Promise<void>;
}

export const noKeys = ['sk-bench-0000000000000000000000000000000000000000'];
