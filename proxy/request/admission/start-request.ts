/** What a request is about when it begins, however its money is held. */
import type { DimensionName } from '../../../shared/usage/dimension-names.ts';
import type { Once } from '../../../shared/wallet/wallet.ts';
import type { Call } from '../../nouns/call.ts';
import type { Timeline } from '../metrics/timeline.ts';
import type { ProxyServices } from '../services.ts';
import type { RunningRequest } from '../settlement/running-request.ts';
import type { RunningRequestOptions } from '../settlement/running-request-options.ts';
import type { Caller } from './caller.ts';
import type { Planner } from './planner.ts';
import { readDimensions } from './read-dimensions.ts';

export interface StartInput {
  readonly requestId: string;
  readonly startedAtMs: number;
  readonly timeline: Timeline;
  readonly caller: Caller;
  readonly call: Call;
  readonly planner: Planner;
  readonly once: Once | undefined;
  /** No client waits for it. */
  readonly isDeferred: boolean;
}

/** The money is held, or an earlier request with the same Idempotency-Key has been answered already. */
export type Begun =
  | { readonly running: RunningRequest }
  | { readonly running: undefined; readonly response: string | null };

interface Hold extends Pick<RunningRequestOptions, 'outputCap' | 'amountNano' | 'heldAtMs' | 'leased'> {
  readonly accountId: number;
  readonly keyId: number;
  readonly assignment: string | undefined;
  /** What else its charge is attributed to; undefined if nothing. */
  readonly dimensions: readonly DimensionName[] | undefined;
  readonly epoch: string;
}

export function startRequest(
  { settlement }: ProxyServices,
  { requestId, startedAtMs, timeline, caller, call, planner, once }: StartInput,
  { accountId, keyId, assignment, dimensions, epoch, ...hold }: Hold,
): RunningRequest {
  const { model, quote } = planner.plan.dearest;
  return settlement.running.start({
    ...hold,
    held: { requestId, shard: caller.shard, accountId, keyId, keyHash: caller.keyHash, assignment, epoch, once },
    model,
    choices: quote.choices,
    isStream: call.stream,
    wanted: quote.wanted,
    promptTokensMax: quote.promptTokensMax,
    startedAtMs,
    dimensions: dimensions === undefined ? null : readDimensions(call, dimensions),
    timeline,
  });
}
