/** Holds what a request may cost at most, in one Redis call that also judges the key. */

import { monotonicMs } from '../../shared/monotonic.ts';
import { didNotRun } from '../../shared/redis/can-send.ts';
import { encodeChargeDetail } from '../../shared/usage/charge-detail.ts';
import type { RateStatuses } from '../../shared/wallet/key-limits.ts';
import type { Reservation, ReserveRefusal } from '../../shared/wallet/reserve-reply.ts';
import type { Once, PeekOrder, ReserveOrder } from '../../shared/wallet/wallet.ts';
import type { Model } from '../catalogue/catalogue.ts';
import { noUsage } from '../metering/usage.ts';
import type { Call } from '../request/call.ts';
import type { ProxyServices } from '../services.ts';
import type { RunningRequest } from '../settlement/running-request.ts';
import { checkWalletCanBeAsked, connectedRedis, onceWalletIsThere } from './ask-wallet.ts';
import type { Caller } from './authenticate.ts';
import type { Quote } from './quote.ts';
import { refusalOf, walletUnavailable } from './refusal.ts';

const charactersPerToken = 4;

export interface ReserveInput {
  readonly requestId: string;
  readonly startedAtMs: number;
  readonly caller: Caller;
  readonly call: Call;
  readonly model: Model;
  readonly quote: Quote;
  readonly once: Once | undefined;
}

/** The money is held, or an earlier request with the same Idempotency-Key has been answered already. */
export type Reserved =
  | { readonly running: RunningRequest }
  | { readonly running: undefined; readonly answer: string | null };

/**
 * Throws GatewayError: 401 and 403 by the key, 403 by the balance, 409 and 422 by the Idempotency-Key, 429 by the limits,
 * 503 where the wallet cannot be asked. What the limits leave is told by `onRates` also when it throws.
 */
export async function reserve(
  services: ProxyServices,
  input: ReserveInput,
  onRates: (rates: RateStatuses) => void,
): Promise<Reserved> {
  const { call, model, quote, caller, requestId, startedAtMs, once } = input;
  const detail = openingDetail(model, startedAtMs);
  let heldAtMs = 0;
  const result = await onceWalletIsThere(() => {
    heldAtMs = monotonicMs();
    return reserveOrRelease(services, {
      ...peekOrderOf(services, input),
      requestId,
      rateTokens: rateTokensOf(call, { model, quote }),
      once,
      detail,
    });
  });
  if (result.rates !== undefined) onRates(result.rates);
  if (result.ok) services.knownKeys.confirm(caller.keyHash);
  else {
    if (result.reason === 'key_unknown') services.knownKeys.forget(caller.keyHash);
    if (result.reason === 'answered') return { running: undefined, answer: result.answer };
    if (result.reason === 'already_done') throw new Error(`request ${requestId} was settled before it was reserved`);
    throw refusalOf(result, { model, quote });
  }
  const running = services.settlement.running.start({
    held: {
      requestId,
      shard: caller.shard,
      accountId: result.accountId,
      keyId: result.keyId,
      epoch: result.epoch,
      once,
    },
    model,
    amountNano: result.amountNano,
    outputCap: result.outputCap,
    choices: call.choices,
    images: call.image === undefined ? 0 : call.n,
    promptTokensMax: quote.promptTokensMax,
    startedAtMs,
    heldAtMs,
  });
  return { running };
}

/** What the limit of tokens a minute is charged until the real usage is known, reckoned as OpenAI does. */
function rateTokensOf(call: Call, { model, quote }: Pick<ReserveInput, 'model' | 'quote'>): number {
  if (call.image !== undefined) return 0;
  const promptTokens = Math.min(Math.ceil(call.bytes / charactersPerToken), model.contextTokens);
  // The cap that is sent, not the one that was asked for: some clients ask for more than any model gives.
  return promptTokens + (call.outputCap === undefined ? 0 : quote.outputCap) * call.choices;
}

/** What decides whether a reserve succeeds; a quote peeks with the same. */
export function peekOrderOf(
  services: ProxyServices,
  { caller, model, quote }: Pick<ReserveInput, 'caller' | 'model' | 'quote'>,
): PeekOrder {
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

async function reserveOrRelease(services: ProxyServices, order: ReserveOrder): Promise<Reservation | ReserveRefusal> {
  // What was certainly not sent needs no release.
  checkWalletCanBeAsked(services);
  try {
    return await services.wallet.reserve(order);
  } catch (cause) {
    // It may have happened, or may happen yet. The release finds it in either case.
    if (!didNotRun(cause)) void services.settlement.replayBuffer.submit({ kind: 'release', held: order });
    throw walletUnavailable(cause);
  }
}

function openingDetail(model: Model, startedAtMs: number): string {
  return encodeChargeDetail({
    model: model.id,
    deployment: '',
    priceVersion: model.prices.version,
    ...noUsage,
    estimated: true,
    startedAtMs,
    variant: '',
  });
}
