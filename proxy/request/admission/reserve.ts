/** Holds what a request may cost at most, in one Redis call that also checks the key. */
import { isBilledWhole } from '../../../shared/catalogue/published-catalogue.ts';
import { monotonicMs } from '../../../shared/durations.ts';
import { didNotRun } from '../../../shared/redis/can-send.ts';
import type { RateStatuses } from '../../../shared/wallet/key-limits.ts';
import type { Reservation, ReserveRefusal } from '../../../shared/wallet/reserve-reply.ts';
import type { Once, PeekRequest, ReserveRequest } from '../../../shared/wallet/wallet.ts';
import type { Call } from '../../nouns/call.ts';
import { noUsage } from '../../nouns/usage.ts';
import { chargeDetailOf } from '../../pricing/bill.ts';
import type { Deployment, Model } from '../../pricing/catalogue.ts';
import type { Timeline } from '../metrics/timeline.ts';
import type { ProxyServices } from '../services.ts';
import type { RunningRequest } from '../settlement/running-request.ts';
import type { RunningRequestOptions } from '../settlement/running-request-options.ts';
import type { Expectation } from './confidence.ts';
import type { Caller } from './find-caller.ts';
import type { Quote } from './quote.ts';
import { refusalOf, walletUnavailable } from './refusal.ts';
import { checkWalletReachable, connectedRedis, withLoadedWallet } from './wallet-access.ts';

const charactersPerToken = 4;
/** The provider, which is called in parallel, usually takes longer; once it has responded, the reserve is sent immediately. */
const confidentWaitMs = 2;

export interface ReserveInput {
  readonly requestId: string;
  readonly startedAtMs: number;
  readonly timeline: Timeline;
  readonly caller: Caller;
  readonly call: Call;
  readonly model: Model;
  readonly quote: Quote;
  readonly once: Once | undefined;
}

/** The money is held, or an earlier request with the same Idempotency-Key has been answered already. */
export type Reserved =
  | { readonly running: RunningRequest; readonly confirmation?: Promise<void> }
  | { readonly running: undefined; readonly response: string | null };

type OnRates = (rates: RateStatuses) => void;

/** Redis has not confirmed the hold of a request that was sent before; it has to begin again, and to wait this time. */
export class NotHeld extends Error {
  override readonly name = 'NotHeld';
}

/**
 * Throws GatewayError: 401 and 403 by the key, 403 by the balance, 409 and 422 by the Idempotency-Key, 429 by the limits,
 * 503 where the wallet cannot be asked. `onRates` receives what the limits leave, also when it throws.
 */
export async function reserve(services: ProxyServices, input: ReserveInput, onRates: OnRates): Promise<Reserved> {
  const ended = input.timeline.trace?.step('reserve');
  try {
    const reserved = await reserveSoon(services, input, onRates);
    ended?.();
    return reserved;
  } catch (error) {
    ended?.(error);
    throw error;
  }
}

/** Once the wallet is there, and what the client's earlier requests hold has been settled. */
async function reserveSoon(services: ProxyServices, input: ReserveInput, onRates: OnRates): Promise<Reserved> {
  const { caller, requestId } = input;
  let heldAtMs = 0;
  const attempt = () =>
    withLoadedWallet(() => {
      heldAtMs = monotonicMs();
      return reserveOrRelease(services, toReserveRequest(services, input));
    });
  let result = await attempt();
  const settled = mayBeLate(result) ? services.settlement.replayBuffer.settled(caller.shard) : undefined;
  if (settled !== undefined) {
    await settled;
    result = await attempt();
  }
  if (result.rates !== undefined) onRates(result.rates);
  if (!result.ok) {
    if (result.reason === 'answered') return { running: undefined, response: result.response };
    if (result.reason === 'already_done') throw new Error(`request ${requestId} was settled before it was reserved`);
    throw refusalOf(result, input);
  }
  const { outputCap, amountNano } = result;
  return { running: start(services, input, { held: result, outputCap, amountNano, heldAtMs }) };
}

/**
 * If approval is to be expected: the request may be sent immediately, and `confirmation` has to be awaited before the client is
 * sent anything. It rejects with NotHeld, or with GatewayError if it is unknown whether the money is held. Undefined
 * where the reserve has to be waited for, as it is where a mistake would cost more than the tokens of a moment.
 */
export function reserveConfidently(
  services: ProxyServices,
  input: ReserveInput,
  onRates: OnRates,
): { running: RunningRequest; confirmation: Promise<void> } | undefined {
  checkWalletReachable(services);
  const { quote, model } = input;
  if (model.deployments.some((deployment) => isBilledAborted(model, deployment))) return undefined;
  // What was sent with this cap must be held for it.
  const request = { ...toReserveRequest(services, input), lowestCap: 0 };
  const held = services.confidence.begin(request);
  if (held === undefined) return undefined;
  const { outputCap, amountNano } = quote;
  const running = start(services, input, { held, outputCap, amountNano, heldAtMs: monotonicMs() });
  running.isUnconfirmed = true;
  const ended = input.timeline.trace?.step('reserve');
  const confirm = async () => {
    let outcome: 'confirmed' | 'refused' = 'refused';
    try {
      const result = await reserveOrRelease(services, request, confidentWaitMs);
      if (!result.ok) throw new NotHeld(result.reason);
      outcome = 'confirmed';
      onRates(result.rates);
      running.confirm(result);
      ended?.();
    } catch (error) {
      ended?.(error);
      running.discard();
      const facts = { requestId: request.requestId, deployment: running.deployment, err: error };
      services.log.info(
        facts,
        'a request was sent before its hold, which was not confirmed; its provider request is aborted',
      );
      throw error;
    } finally {
      services.confidence.end(held, request, outcome);
    }
  };
  return { running, confirmation: confirm() };
}

function isBilledAborted({ kind }: Model, { onDisconnect, provider }: Deployment): boolean {
  return onDisconnect === 'drain' || isBilledWhole(kind, provider.protocol);
}

function start(
  { settlement }: ProxyServices,
  { requestId, startedAtMs, timeline, caller, call, model, quote, once }: ReserveInput,
  hold: Pick<RunningRequestOptions, 'outputCap' | 'amountNano' | 'heldAtMs'> & { readonly held: Expectation },
): RunningRequest {
  const { held, outputCap, amountNano, heldAtMs } = hold;
  const { accountId, keyId, epoch } = held;
  return settlement.running.start({
    held: { requestId, shard: caller.shard, accountId, keyId, epoch, once },
    model,
    amountNano,
    outputCap,
    choices: call.choices,
    isStream: call.stream,
    images: call.image === undefined ? 0 : call.n,
    promptTokensMax: quote.promptTokensMax,
    startedAtMs,
    timeline,
    heldAtMs,
  });
}

/** Refused for what a request of the same client holds whose settle is still on its way. */
function mayBeLate(result: Reservation | ReserveRefusal): boolean {
  if (result.ok) return false;
  if (result.reason === 'short') return result.heldNano > 0n;
  return result.reason === 'key_short' || (result.reason === 'limited' && result.what === 'streams');
}

function toReserveRequest(services: ProxyServices, input: ReserveInput): ReserveRequest {
  const { call, model, quote, requestId, startedAtMs, once } = input;
  return {
    ...toPeekRequest(services, input),
    requestId,
    rateTokens: rateTokensOf(call, { model, quote }),
    once,
    detail: openingDetail(model, startedAtMs),
  };
}

/** What the limit of tokens a minute is charged until the real usage is known, reckoned as OpenAI does. */
function rateTokensOf(call: Call, { model, quote }: Pick<ReserveInput, 'model' | 'quote'>): number {
  // The price of most images covers their prompt.
  if (quote.promptTokensMax === 0) return 0;
  const promptTokens = Math.min(Math.ceil(call.bytes / charactersPerToken), model.contextTokens);
  // The cap that is sent, not the one that was asked for: some clients ask for more than any model gives.
  return promptTokens + (call.outputCap === undefined ? 0 : quote.outputCap) * call.choices;
}

/** What decides whether a reserve succeeds; a quote peeks with the same. */
export function toPeekRequest(
  services: ProxyServices,
  { caller, model, quote }: Pick<ReserveInput, 'caller' | 'model' | 'quote'>,
): PeekRequest {
  return {
    identity: connectedRedis(services, caller.shard),
    rateDefaults: services.config.rateLimits,
    shard: caller.shard,
    keyHash: caller.keyHash,
    model: model.id,
    amountNano: quote.amountNano,
    promptPartNano: quote.promptPartNano,
    outputPrice: quote.outputPrice,
    outputCap: quote.outputCap,
    lowestCap: quote.lowestCap,
  };
}

async function reserveOrRelease(
  services: ProxyServices,
  request: ReserveRequest,
  waitMs?: number,
): Promise<Reservation | ReserveRefusal> {
  // What was certainly not sent needs no release.
  checkWalletReachable(services);
  const { confidence, knownKeys, metrics } = services;
  const sentAtMs = monotonicMs();
  try {
    const result = await services.wallet.reserve(request, waitMs);
    metrics.walletReplied('reserve', sentAtMs);
    if (result.ok) confidence.confirm(request, result);
    else {
      confidence.refuse(request.keyHash, result.reason);
      if (result.reason === 'key_unknown') knownKeys.forget(request.keyHash);
    }
    return result;
  } catch (cause) {
    metrics.walletFailures.reserve += 1;
    confidence.forget(request.keyHash);
    // It may have happened, or may happen yet. The release finds it in either case.
    if (!didNotRun(cause)) void services.settlement.replayBuffer.submit({ kind: 'release', held: request });
    throw walletUnavailable(cause);
  }
}

function openingDetail(model: Model, startedAtMs: number): string {
  return chargeDetailOf({ model, deployment: '', usage: noUsage, estimated: true, startedAtMs });
}
