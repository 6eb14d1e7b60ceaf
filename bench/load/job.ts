/** The jobs of the load generator, and their results. */
import type { Percentiles } from '../measure/histogram.ts';
import type { UsageByGroup, Watched } from '../measure/process-usage.ts';

export interface LoadJob {
  readonly port: number;
  /** One request per key, in turn. */
  readonly keys: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The status that every response must have. */
  readonly status: number;
  readonly mode: LoadMode;
  readonly warmUpMs: number;
  readonly measureMs: number;
  /** Processes whose CPU time and memory are read at both ends of the measured interval. */
  readonly watched: Watched;
}

export type LoadMode =
  /** Each connection sends its next request, whole or streamed, when the previous one is answered. */
  | { readonly kind: 'closed'; readonly connections: number }
  /** Requests are due at random times, whatever has been answered; latency counts from when one was due. */
  | { readonly kind: 'open'; readonly perSecond: number }
  /** A number of endless streams is opened, and they stay open until the end. */
  | { readonly kind: 'hold'; readonly streams: number };

export interface LoadResult {
  readonly seconds: number;
  /** Answered in the measured interval. */
  readonly requests: number;
  /** Server-sent events that arrived in it. */
  readonly chunks: number;
  readonly failures: Readonly<Record<string, number>>;
  /** Microseconds. */
  readonly latency: Percentiles;
  /** From the request to the first event of a stream. */
  readonly firstChunk: Percentiles;
  /** From one event of a stream to the next. */
  readonly gap: Percentiles;
  /** CPU seconds in the measured interval. */
  readonly cpu: Readonly<Record<string, number>>;
  readonly usageAtStart: UsageByGroup;
  readonly usageAtEnd: UsageByGroup;
}

export type JobMessage = { readonly id: number; readonly job: LoadJob };
export type ResultMessage = { readonly id: number } & ({ readonly result: LoadResult } | { readonly problem: string });
