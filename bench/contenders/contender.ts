/** Whoever stands between the load generator and the upstream. Each scenario starts its own, so none inherits a heap. */
import type { Watched } from '../measure/process-usage.ts';

export interface Contender {
  readonly name: string;
  /** What a reader has to know of it. */
  readonly description: string;
  /** Undefined where it can stream, else why it is left out of streams. */
  readonly whyNoStreams?: string;
  start(upstreamPort: number): Promise<RunningContender>;
}

export interface RunningContender {
  readonly port: number;
  readonly pid: number;
  /** One customer's key each; whoever has no customers has one. */
  readonly keys: readonly string[];
  /** What it wants to be told in addition. */
  readonly headers: Readonly<Record<string, string>>;
  /** What else works for it, and has to be paid for as well. */
  readonly helpers: Watched;
  /** Resolves when what the last load has left to do is done. */
  settled(): Promise<void>;
  stop(): Promise<void>;
}

export const noKeys = ['sk-bench-0000000000000000000000000000000000000000'];
