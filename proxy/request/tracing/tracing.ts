/** What traces requests, if anything does: see start-tracing.ts, which is not even loaded otherwise. */
import type { RequestTrace } from './request-trace.ts';

export interface Tracing {
  /** Undefined if the request is not sampled, and no client waits for its trace to be passed on. */
  begin(incoming: { readonly request: Request; readonly requestId: string }): RequestTrace | undefined;
  /** Sends what has not been sent yet. */
  stop(): Promise<void>;
}
