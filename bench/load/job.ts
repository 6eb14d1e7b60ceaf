/** What the bench asks of the load generator, and what it answers. */
import type { Percentiles } from '../measure/histogram.ts';
import type { UsageByGroup, Watched } from '../measure/process-usage.ts';

export interface LoadJob {
  readonly port: number;
  /** One request a key, in turn. */
  readonly keys: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The status that every answer has to have. */
  readonly status: number;
  readonly mode: LoadMode;
  readonly warmUpMs: number;
  readonly measureMs: number;
  /** Whose CPU time and memory to take at the ends of the measured interval. */
  readonly watched: Watched;
}

export type LoadMode =
  /** Each connection sends its next request, whole or streamed, when the last one is answered. */
  | { readonly kind: 'closed'; readonly connections: number }
  /** Requests are due at random moments, whatever has been answered; latency counts from when one was due. */
  | { readonly kind: 'open'; readonly perSecond: number }
  /** So many endless streams are opened, and stay open until the end. */
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
