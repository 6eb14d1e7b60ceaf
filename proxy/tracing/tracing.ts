/** What traces requests, if anything does: see start-tracing.ts, which is not even loaded otherwise. */
import type { RequestTrace } from './request-trace.ts';

export interface Tracing {
  begin(incoming: { readonly request: Request; readonly requestId: string }): RequestTrace;
  /** Sends what has not been sent yet. */
  stop(): Promise<void>;
}
