/**
 * Holds what a request may cost at most, in one Redis call that also judges the key. Every refusal becomes an error
 * that says what the caller can do about it.
 */
import { GatewayError } from '../shared/errors.ts';
import { formatUsd, type NanoUsd, nanoUsd } from '../shared/money.ts';
import { encodeChargeDetail } from '../shared/usage/charge-detail.ts';
import type { Reservation, ReserveOrder, ReserveRefusal } from '../shared/wallet/wallet.ts';
import { type Caller, invalidKey } from './authenticate.ts';
import type { Model } from './catalogue/catalogue.ts';
import type { Quote } from './quote.ts';
import type { Call } from './request/call.ts';
import type { ProxyServices } from './services.ts';
import type { RunningRequest } from './settlement/running-request.ts';

export interface ReserveInput {
  readonly requestId: string;
  readonly startedAtMs: number;
  readonly caller: Caller;
  readonly call: Call;
  readonly model: Model;
  readonly quote: Quote;
}

/** How often and how long a request waits for its account's wallet to come from the ledger. */
const walletWaitMs = 2_000;
const walletPollMs = 40;
const retryAfterSeconds = 1;

/** Throws GatewayError: 401 and 403 by the key, 403 by the balance, 503 where the wallet cannot be asked. */
export async function reserve(services: ProxyServices, input: ReserveInput): Promise<RunningRequest> {
  const { call, model, quote, caller, requestId, startedAtMs } = input;
  const order: ReserveOrder = {
    requestId,
    shard: caller.shard,
    keyHash: caller.keyHash,
    model: model.id,
    amountNano: quote.amountNano,
    promptPartNano: quote.promptPartNano,
    outputPrice: quote.outputPrice,
    outputCap: quote.outputCap,
    lowestCap: quote.lowestCap,
    detail: openingDetail(model, startedAtMs),
  };
  const { result, heldAtMs } = await reserveOnceWalletIsThere(services, order);
  if (!result.ok) throw refusal(result, input);
  return services.settlement.running.start({
    held: { requestId, shard: caller.shard, accountId: result.accountId, keyId: result.keyId },
    model,
    amountNano: result.amountNano,
    outputCap: result.outputCap,
    choices: call.choices,
    promptTexts: call.promptTexts,
    startedAtMs,
    heldAtMs,
  });
}

async function reserveOnceWalletIsThere(
  services: ProxyServices,
  order: ReserveOrder,
): Promise<{ result: Reservation | ReserveRefusal; heldAtMs: number }> {
  const until = Date.now() + walletWaitMs;
  for (;;) {
    const heldAtMs = Date.now();
    const result = await reserveOrRelease(services, order);
    if (result.ok || result.reason !== 'wallet_missing' || heldAtMs > until) return { result, heldAtMs };
    await Bun.sleep(walletPollMs);
  }
}

async function reserveOrRelease(services: ProxyServices, order: ReserveOrder): Promise<Reservation | ReserveRefusal> {
  // What was certainly not sent needs no release.
  const { replayBuffer, redisWatch } = services.settlement;
  if (services.redis.status !== 'ready' || replayBuffer.full || redisWatch.memoryShort) throw walletUnavailable();
  try {
    return await services.wallet.reserve(order);
  } catch (cause) {
    // It may have happened, or may happen yet. The release finds it in either case.
    void replayBuffer.submit({ kind: 'release', held: order });
    throw walletUnavailable(cause);
  }
}

function refusal(result: ReserveRefusal, input: ReserveInput): GatewayError {
  switch (result.reason) {
    case 'key_unknown':
      return invalidKey();
    case 'key_expired':
      return new GatewayError('key_expired', 'This API key has expired.');
    case 'key_inactive':
      return new GatewayError('key_deactivated', 'This API key is deactivated. Its owner can activate it again.');
    case 'model_not_allowed':
      return new GatewayError('model_not_allowed', `This API key may not use the model '${input.model.id}'.`, {
        param: 'model',
      });
    case 'short':
      return tooLittle(result.availableNano, result.heldNano, input);
    case 'recovering':
    case 'wallet_missing':
      return walletUnavailable();
    case 'already_done':
      throw new Error(`request ${input.requestId} was settled before it was reserved`);
  }
}

function tooLittle(availableNano: NanoUsd, heldNano: NanoUsd, { quote }: ReserveInput): GatewayError {
  const facts = [
    `available: $${formatUsd(availableNano)}`,
    `held by running requests: $${formatUsd(heldNano)}`,
    `needed at most: $${formatUsd(quote.amountNano)}`,
  ];
  const affordable = affordableCap(availableNano, quote);
  if (affordable > 0) facts.push(`affordable max_tokens: ${affordable}`);
  const balanceNano = availableNano + heldNano;
  if (heldNano > 0n && balanceNano >= quote.amountNano) {
    return new GatewayError('balance_reserved', `The balance is held by running requests (${facts.join(', ')}).`, {
      retryAfterSeconds,
    });
  }
  return new GatewayError('insufficient_balance', `The balance does not cover this request (${facts.join(', ')}).`);
}

function affordableCap(availableNano: NanoUsd, quote: Quote): number {
  const forOutput = nanoUsd(availableNano - quote.promptPartNano);
  if (forOutput <= 0n || quote.outputPrice === 0n) return 0;
  return Math.min(Number((forOutput * 1_000n) / quote.outputPrice), quote.outputCap);
}

function walletUnavailable(cause?: unknown): GatewayError {
  return new GatewayError(
    'wallet_unavailable',
    'Balances cannot be checked right now. Nothing was charged; please retry.',
    {
      retryAfterSeconds,
      cause,
    },
  );
}

function openingDetail(model: Model, startedAtMs: number): string {
  return encodeChargeDetail({
    model: model.id,
    deployment: '',
    priceVersion: model.prices.version,
    promptTokens: 0,
    cachedPromptTokens: 0,
    completionTokens: 0,
    reasoningTokens: 0,
    estimated: true,
    startedAtMs,
  });
}
