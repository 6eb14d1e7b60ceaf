/**
 * The way in: the money of a request is held before its provider is asked. Most begin from a lease, which asks nobody; the
 * others are reserved in Redis.
 */
import { monotonicMs } from '../../../shared/durations.ts';
import type { RateStatuses } from '../../../shared/wallet/key-limits.ts';
import type { ProxyServices } from '../services.ts';
import type { RunningRequest } from '../settlement/running-request.ts';
import { reserve } from './reserve.ts';
import { type Begun, type StartInput, startRequest } from './start-request.ts';

/**
 * Throws GatewayError: 401 and 403 by the key, 403 by the balance, 409 and 422 by the Idempotency-Key, 429 by the limits,
 * 503 where the wallet cannot be asked. `onRates` receives what the limits leave, also when it throws.
 */
export function begin(
  services: ProxyServices,
  input: StartInput,
  onRates: (rates: RateStatuses) => void,
): Begun | Promise<Begun> {
  const running = beginFromLease(services, input, onRates);
  return running === undefined ? reserve(services, input, onRates) : { running };
}

/** Undefined if the key has no lease with enough of everything, and where a repetition must find the request. */
function beginFromLease(
  services: ProxyServices,
  input: StartInput,
  onRates: (rates: RateStatuses) => void,
): RunningRequest | undefined {
  const { caller, planner, once, isDeferred } = input;
  const { leases, replayBuffer, redisWatch } = services.settlement;
  if (once !== undefined || isDeferred || replayBuffer.full || redisWatch.memoryShort) return undefined;
  const { plan } = planner;
  const { amountNano, outputCap, rateTokens: tokens } = plan.dearest.quote;
  const request = { heldNano: amountNano, tokens, models: plan.models, rulesMark: caller.rules?.mark ?? '' };
  const lease = leases.find(caller.keyHash, request, redisWatch.identityOf(caller.shard));
  if (lease === undefined) return undefined;
  const { epoch, key, dimensions } = lease;
  const { accountId, keyId, assignment } = key;
  const whose = { accountId, keyId, assignment, dimensions };
  const hold = { ...whose, epoch, amountNano, outputCap, heldAtMs: monotonicMs(), leased: { lease, tokens } };
  const running = startRequest(services, input, hold);
  // With this request.
  const { rates } = lease;
  if (rates !== undefined) onRates(rates);
  services.metrics.begun.lease += 1;
  return running;
}
