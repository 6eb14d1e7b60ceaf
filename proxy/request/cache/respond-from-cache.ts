/**
 * Responds to a request with a stored response. Its key, its model and its rules are checked as those of any other request are, and
 * it counts as one; it needs no balance. A charge of nothing, which names the request that it repeats, is its receipt.
 */
import { GatewayError } from '../../../shared/errors.ts';
import { nanoUsd } from '../../../shared/money.ts';
import type { ReuseGrant } from '../../../shared/wallet/reuse-reply.ts';
import type { Call } from '../../nouns/call.ts';
import type { Dialect } from '../../nouns/dialect.ts';
import { callTo } from '../../nouns/requests/addressed-call.ts';
import { noUsage } from '../../nouns/usage.ts';
import { chargeDetailOf } from '../../pricing/bill.ts';
import type { Model } from '../../pricing/catalogue.ts';
import type { Caller } from '../admission/caller.ts';
import type { Planner } from '../admission/planner.ts';
import { setRateHeaders } from '../admission/rate-headers.ts';
import { readDimensions } from '../admission/read-dimensions.ts';
import { refusalOf, walletUnavailable } from '../admission/refusal.ts';
import { askWallet, checkWalletReachable, connectedRedis } from '../admission/wallet-access.ts';
import type { Plan } from '../planning/plan.ts';
import { deploymentHeader, jsonType } from '../response/stored-response.ts';
import type { ProxyServices } from '../services.ts';
import { type CacheUse, cacheHeader } from './cache-use.ts';
import { renderHit } from './replay/render-hit.ts';
import type { CachedResponse } from './stored-form.ts';

export interface CacheInput {
  readonly use: CacheUse;
  readonly requestId: string;
  readonly startedAtMs: number;
  readonly caller: Caller;
  readonly call: Call;
  readonly planner: Planner;
  readonly dialect: Dialect | undefined;
  readonly headers: Headers;
}

interface Hit {
  readonly stored: CachedResponse;
  readonly model: Model;
  readonly text: string;
}

/**
 * Undefined if the request has to be an ordinary one; its response then says that it was looked for. Throws GatewayError as
 * `begin` does, except for the balance.
 */
export async function respondFromCache(services: ProxyServices, input: CacheInput): Promise<Response | undefined> {
  const { use, planner, caller, headers } = input;
  const { lookups } = services.responseCache;
  const { plan } = planner;
  const hit = await findHit(services, input, plan);
  const grant = hit && (await askToReuse(services, input, plan));
  // Other rules may demand another provider, or have ended the setting.
  if (caller.rules !== use.rules) return undefined;
  if (hit === undefined || grant === undefined) {
    lookups.miss += 1;
    headers.set(cacheHeader, 'miss');
    return undefined;
  }
  lookups.hit += 1;
  writeReceipt(services, input, { hit, grant });
  return responseOf(services, input, { hit, plan });
}

async function findHit(services: ProxyServices, input: CacheInput, plan: Plan): Promise<Hit | undefined> {
  const { use, call, dialect, requestId } = input;
  const stored = await services.responseCache.find(use);
  const model = plan.candidates.find(({ model: { id } }) => id === stored?.model)?.model;
  if (stored === undefined || model === undefined) return undefined;
  const text = renderHit(stored, { call: callTo(call, model.id), dialect, requestId });
  return text === undefined ? undefined : { stored, model, text };
}

/** Undefined if the wallet cannot be asked: an ordinary request may begin from a lease. */
async function askToReuse(services: ProxyServices, input: CacheInput, plan: Plan): Promise<ReuseGrant | undefined> {
  const { caller, headers } = input;
  const { shard, keyHash } = caller;
  try {
    const result = await askWallet(services, caller, async () => {
      checkWalletReachable(services);
      const identity = connectedRedis(services, shard);
      const rulesMark = caller.rules?.mark ?? '';
      const { rateLimits: rateDefaults } = services.config;
      const asked = { shard, keyHash, identity, models: plan.models, rateDefaults, rulesMark };
      return services.wallet.reuse(asked).catch((cause: unknown) => {
        throw walletUnavailable(cause);
      });
    });
    if (result.rates !== undefined) setRateHeaders(headers, result.rates);
    if (result.ok) return result;
    if (result.reason === 'key_unknown') services.knownKeys.forget(keyHash);
    throw refusalOf(result, plan);
  } catch (error) {
    if (error instanceof GatewayError && error.code === 'wallet_unavailable') return undefined;
    throw error;
  }
}

/** The replay buffer has it from here on, as it has every charge. */
function writeReceipt(
  { settlement }: ProxyServices,
  { requestId, startedAtMs, caller, call }: CacheInput,
  { hit: { model, stored }, grant }: { hit: Hit; grant: ReuseGrant },
): void {
  const { shard, keyHash } = caller;
  const { accountId, keyId, assignment, epoch, dimensions: asked } = grant;
  const dimensions = asked === undefined ? null : readDimensions(call, asked);
  const facts = { deployment: '', usage: noUsage, estimated: false, startedAtMs, dimensions };
  const detail = chargeDetailOf({ ...facts, model, repeats: stored.requestId });
  const held = { requestId, shard, accountId, keyId, keyHash, assignment, epoch };
  void settlement.replayBuffer.submit({ kind: 'settle', held, costNano: nanoUsd(0n), detail, tokens: 0 });
}

function responseOf(
  { config }: ProxyServices,
  { call, headers }: CacheInput,
  { hit: { stored, text }, plan }: { hit: Hit; plan: Plan },
): Response {
  headers.set(cacheHeader, 'hit');
  headers.set('x-original-request-id', stored.requestId);
  headers.set('x-cost-usd', '0');
  if (config.exposeDeployments) headers.set(deploymentHeader, stored.deployment);
  if (plan.candidates.length > 1) headers.set('x-gateway-model', stored.model);
  headers.set('content-type', call.stream ? 'text/event-stream; charset=utf-8' : jsonType);
  if (call.stream) headers.set('cache-control', 'no-cache');
  return new Response(text, { headers });
}
