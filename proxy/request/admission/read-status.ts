/**
 * What a request that asks no provider needs to know of its key, in one Redis call: that it may be used now, whose it is, and
 * what it has left. Counts as a request.
 */
import type { KeyStatus } from '../../../shared/wallet/key-status.ts';
import type { KeyStatusRequest } from '../../../shared/wallet/wallet.ts';
import type { ProxyServices } from '../services.ts';
import type { Calling } from './caller.ts';
import { findCaller } from './find-caller.ts';
import { setRateHeaders } from './rate-headers.ts';
import { keyRefusal, tooMuch, walletUnavailable } from './refusal.ts';
import { askWallet, checkWalletReachable, connectedRedis } from './wallet-access.ts';

interface Identified extends Calling {
  /** Of the response. */
  readonly headers: Headers;
}

/** Throws GatewayError: 401 or 403 for the key, 429 for its limit of requests, 503 if the wallet is unreachable. */
export async function readStatus(
  services: ProxyServices,
  incoming: Identified,
  { spending }: Pick<KeyStatusRequest, 'spending'>,
): Promise<KeyStatus> {
  const caller = await findCaller(services, incoming);
  const { shard, keyHash } = caller;
  const { rateLimits: rateDefaults } = services.config;
  const result = await askWallet(services, caller, () => {
    checkWalletReachable(services);
    const rulesMark = caller.rules?.mark ?? '';
    const input = { shard, keyHash, identity: connectedRedis(services, shard), rateDefaults, spending, rulesMark };
    return services.wallet.keyStatus(input).catch((cause: unknown) => {
      throw walletUnavailable(cause);
    });
  });
  if (result.rates !== undefined) setRateHeaders(incoming.headers, result.rates);
  if (result.ok) return result;
  if (result.reason === 'limited') throw tooMuch(result);
  throw result.reason === 'wallet_missing' ? walletUnavailable() : keyRefusal(result.reason);
}
