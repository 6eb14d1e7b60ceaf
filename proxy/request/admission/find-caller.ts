/**
 * Finds out who sends a request, by the hash of its key. While KEY_PEPPER is being replaced, a key has a hash under each
 * pepper; one that is still known by a former pepper is reported to the ledger, which stores its new hash.
 */
import { pepperMark } from '../../../shared/keys/api-key.ts';
import type { Shard } from '../../../shared/wallet/shard.ts';
import type { ProxyServices } from '../services.ts';
import { authenticate, type ShownKey } from './authenticate.ts';
import type { Caller, Calling } from './caller.ts';
import { checkAddress, isAllowed, judgeAgain, readRules } from './judge-rules.ts';
import { keyRefusal, walletUnavailable } from './refusal.ts';
import { checkWalletReachable, connectedRedis } from './wallet-access.ts';

/** With several peppers, a key's hash may change while it is used; one under a former pepper soon does. */
const knownWhileRotatingMs = 60_000;
const formerKnownMs = 5_000;

/** Also sets it in `calling`. Throws GatewayError: 401 and 403 by the key, 503 where Redis cannot be asked. */
export function findCaller(services: ProxyServices, calling: Calling): Caller | Promise<Caller> {
  const shown = authenticate(calling.request.headers, services.config.keyPeppers);
  const presentMs = shown.hashes.length === 1 ? Number.POSITIVE_INFINITY : knownWhileRotatingMs;
  let knownMs = presentMs;
  for (const keyHash of shown.hashes) {
    const known = services.knownKeys.find(keyHash, knownMs);
    if (known !== undefined) {
      const { accountId, firstHash, rules } = known;
      // The lists may have changed: Redis decides.
      if (rules !== undefined && !isAllowed(rules, calling.address)) break;
      calling.caller = { keyHash, firstHash, shard: shown.shard, accountId, address: calling.address, rules };
      return calling.caller;
    }
    knownMs = formerKnownMs;
  }
  return admit(services, shown, calling);
}

/** Asks Redis for a key that this process has not seen yet, or that is not allowed from this address. */
async function admit(services: ProxyServices, { hashes, shard }: ShownKey, calling: Calling): Promise<Caller> {
  const { knownKeys } = services;
  for (const [index, keyHash] of hashes.entries()) {
    const result = await askAboutKey(services, { shard, keyHash });
    if (result.ok) {
      const { accountId, firstHash } = result;
      const rules = readRules(result.rules);
      knownKeys.confirm(keyHash, { accountId, firstHash, rules });
      if (index > 0) reportFormer(services, { shard, keyHash, newHash: hashes[0] ?? '' });
      const caller = { keyHash, firstHash, shard, accountId, address: calling.address, rules };
      calling.caller = caller;
      checkAddress(rules, calling.address);
      return caller;
    }
    if (result.reason !== 'key_unknown') throw keyRefusal(result.reason);
  }
  throw keyRefusal('key_unknown');
}

/** Whether other rules apply to the key than those that the caller was judged by, who then has them. Throws as `findCaller`. */
export async function haveRulesChanged(services: ProxyServices, caller: Caller): Promise<boolean> {
  const result = await askAboutKey(services, caller);
  if (!result.ok) throw keyRefusal(result.reason);
  if (result.rules.mark === (caller.rules?.mark ?? '')) return false;
  judgeAgain(services, caller, result.rules);
  return true;
}

async function askAboutKey(services: ProxyServices, { shard, keyHash }: Pick<Caller, 'shard' | 'keyHash'>) {
  checkWalletReachable(services);
  const identity = connectedRedis(services, shard);
  return services.wallet.admit({ shard, keyHash, identity }).catch((cause: unknown) => {
    throw walletUnavailable(cause);
  });
}

/** Nothing depends on it: a report that is lost is made again, by the next request a minute later. */
function reportFormer(
  { config, log, wallet }: ProxyServices,
  { shard, keyHash, newHash }: { shard: Shard; keyHash: string; newHash: string },
): void {
  const [pepper = ''] = config.keyPeppers;
  wallet
    .requestRehash({ shard, keyHash, newHash, pepperMark: pepperMark(pepper) })
    .catch((error: unknown) => log.debug({ err: error }, 'a key with a former hash was not reported'));
}
