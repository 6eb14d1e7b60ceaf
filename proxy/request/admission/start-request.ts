/** What a request is about when it begins, however its money is held. */
import type { DimensionName } from '../../../shared/usage/dimension-names.ts';
import type { Once } from '../../../shared/wallet/wallet.ts';
import type { Call } from '../../nouns/call.ts';
import type { Timeline } from '../metrics/timeline.ts';
import type { Candidate, Plan } from '../planning/plan.ts';
import type { ProxyServices } from '../services.ts';
import type { RunningRequest } from '../settlement/running-request.ts';
import type { RunningRequestOptions } from '../settlement/running-request-options.ts';
import type { Caller } from './caller.ts';
import { readDimensions } from './read-dimensions.ts';

const charactersPerToken = 4;

export interface StartInput {
  readonly requestId: string;
  readonly startedAtMs: number;
  readonly timeline: Timeline;
  readonly caller: Caller;
  readonly call: Call;
  readonly plan: Plan;
  readonly once: Once | undefined;
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
  { requestId, startedAtMs, timeline, caller, call, plan, once }: StartInput,
  { accountId, keyId, assignment, dimensions, epoch, ...hold }: Hold,
): RunningRequest {
  const { model, quote } = plan.dearest;
  return settlement.running.start({
    ...hold,
    held: { requestId, shard: caller.shard, accountId, keyId, keyHash: caller.keyHash, assignment, epoch, once },
    model,
    choices: call.choices,
    isStream: call.stream,
    images: call.image === undefined ? 0 : call.n,
    promptTokensMax: quote.promptTokensMax,
    startedAtMs,
    dimensions: dimensions === undefined ? null : readDimensions(call, dimensions),
    timeline,
  });
}

/** What the limit of tokens a minute is charged until the real usage is known, reckoned as OpenAI does. */
export function rateTokensOf(call: Call, { model, quote }: Candidate): number {
  // The price of most images covers their prompt.
  if (quote.promptTokensMax === 0) return 0;
  const promptTokens = Math.min(Math.ceil(call.bytes / charactersPerToken), model.contextTokens);
  // The cap that is sent, not the one that was asked for: some clients ask for more than any model gives.
  return promptTokens + (call.outputCap === undefined ? 0 : quote.outputCap) * call.choices;
}
