/** Holds what a request may cost at most, in one Redis call that also checks the key. */
import { monotonicMs } from '../../../shared/durations.ts';
import { didNotRun } from '../../../shared/redis/can-send.ts';
import type { RateStatuses } from '../../../shared/wallet/key-limits.ts';
import type {
  BudgetShortRefusal,
  OtherRules,
  RefusalFacts,
  Reservation,
  ReserveRefusal,
  ShortRefusal,
} from '../../../shared/wallet/reserve-reply.ts';
import type { PeekRequest, ReserveRequest } from '../../../shared/wallet/wallet.ts';
import { noUsage } from '../../nouns/usage.ts';
import { chargeDetailOf } from '../../pricing/bill.ts';
import type { Model } from '../../pricing/catalogue.ts';
import type { ProxyServices } from '../services.ts';
import type { Caller } from './caller.ts';
import { refusalOf, walletUnavailable } from './refusal.ts';
import { type Begun, type StartInput, startRequest } from './start-request.ts';
import { askWallet, checkWalletReachable, connectedRedis } from './wallet-access.ts';

/** A settle takes Redis milliseconds. Longer, it would be those of others that are waited for. */
const settledWaitMs = 500;

type OnRates = (rates: RateStatuses) => void;

/** Throws GatewayError, and calls `onRates`, as `begin` does. */
export async function reserve(services: ProxyServices, input: StartInput, onRates: OnRates): Promise<Begun> {
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
async function reserveSoon(services: ProxyServices, input: StartInput, onRates: OnRates): Promise<Begun> {
  const { caller, requestId } = input;
  const { leases, replayBuffer } = services.settlement;
  let heldAtMs = 0;
  const attempt = () =>
    askWallet(services, caller, (isRecalled) => {
      heldAtMs = monotonicMs();
      return reserveOrRelease(services, { ...toReserveRequest(services, input), isRecalled });
    });
  let result = await attempt();
  if (mayBeLate(result)) {
    const settled = [replayBuffer.settled(caller.shard), leases.flush(caller.shard)];
    if (settled.some((each) => each !== undefined)) {
      await Promise.race([Promise.all(settled), Bun.sleep(settledWaitMs)]);
      result = await attempt();
    }
  }
  // A search that is offered holds more. A deferred request waits for it.
  const mayWait = input.isDeferred && isShort(result) && refusalOf(result, input.planner.plan).isReserved;
  if (isShort(result) && !mayWait && input.planner.omitSearch()) result = await attempt();
  if (result.rates !== undefined) onRates(result.rates);
  if (!result.ok) {
    if (result.reason === 'answered') return { running: undefined, response: result.response };
    if (result.reason === 'already_done') throw new Error(`request ${requestId} was settled before it was reserved`);
    throw refusalOf(result, input.planner.plan);
  }
  const { accountId, keyId, assignment, dimensions, epoch, outputCap, amountNano } = result;
  const key = { accountId, keyId, assignment };
  if (!input.isDeferred) leases.learn({ ...keyOf(services, caller), ...key });
  services.metrics.begun.wallet += 1;
  return { running: startRequest(services, input, { ...key, dimensions, epoch, outputCap, amountNano, heldAtMs }) };
}

/** Refused because the balance or a limit of spending does not cover it. */
function isShort(result: Reservation | ReserveRefusal): result is (ShortRefusal | BudgetShortRefusal) & RefusalFacts {
  return !result.ok && (result.reason === 'short' || result.reason === 'budget_short');
}

/** Refused for what a request of the same client holds whose settle is still on its way. */
function mayBeLate(result: Reservation | ReserveRefusal): boolean {
  if (result.ok) return false;
  if (result.reason === 'short') return result.heldNano > 0n;
  return result.reason === 'budget_short' || (result.reason === 'limited' && result.what === 'streams');
}

function toReserveRequest(services: ProxyServices, input: StartInput): ReserveRequest {
  const { planner, requestId, startedAtMs, once, isDeferred: isUnlimited } = input;
  const { dearest } = planner.plan;
  return {
    ...toPeekRequest(services, input),
    requestId,
    rateTokens: dearest.quote.rateTokens,
    once,
    isUnlimited,
    detail: openingDetail(dearest.model, startedAtMs),
  };
}

/** What decides whether a reserve succeeds; a quote peeks with the same. */
export function toPeekRequest(
  services: ProxyServices,
  { caller, planner }: Pick<StartInput, 'caller' | 'planner'>,
): PeekRequest {
  const { models, dearest } = planner.plan;
  const { quote } = dearest;
  return {
    ...keyOf(services, caller),
    identity: connectedRedis(services, caller.shard),
    models,
    amountNano: quote.amountNano,
    promptPartNano: quote.promptPartNano,
    outputPrice: quote.outputPrice,
    outputCap: quote.outputCap,
    lowestCap: quote.lowestCap,
    rulesMark: caller.rules?.mark ?? '',
  };
}

function keyOf({ config }: ProxyServices, { shard, keyHash }: Caller) {
  return { shard, keyHash, rateDefaults: config.rateLimits };
}

async function reserveOrRelease(
  services: ProxyServices,
  request: ReserveRequest,
): Promise<Reservation | ReserveRefusal | OtherRules> {
  // What was certainly not sent needs no release.
  checkWalletReachable(services);
  const { knownKeys, metrics } = services;
  const sentAtMs = monotonicMs();
  try {
    const result = await services.wallet.reserve(request);
    metrics.walletReplied('reserve', sentAtMs);
    if (!result.ok && result.reason === 'key_unknown') knownKeys.forget(request.keyHash);
    return result;
  } catch (cause) {
    metrics.walletFailures.reserve += 1;
    // It may have happened, or may happen yet. The release finds it in either case.
    if (!didNotRun(cause)) void services.settlement.replayBuffer.submit({ kind: 'release', held: request });
    throw walletUnavailable(cause);
  }
}

/** What the organization attributes usage to is not known yet; the first renewal has it. */
function openingDetail(model: Model, startedAtMs: number): string {
  return chargeDetailOf({ model, deployment: '', usage: noUsage, estimated: true, startedAtMs, dimensions: null });
}
