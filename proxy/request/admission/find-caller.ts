/**
 * Finds out who sends a request, by the hash of its key. While KEY_PEPPER is being replaced, a key has a hash under each
 * pepper; one that is still known by a former pepper is reported to the ledger, which stores its new hash.
 */
import { pepperMark } from '../../../shared/keys/api-key.ts';
import type { Shard } from '../../../shared/wallet/shard.ts';
import type { ProxyServices } from '../services.ts';
import { authenticate, type ShownKey } from './authenticate.ts';
import { keyRefusal, walletUnavailable } from './refusal.ts';
import { checkWalletReachable, connectedRedis } from './wallet-access.ts';

export interface Caller {
  /** How Redis knows the key. */
  readonly keyHash: string;
  /** How Redis knew it at first: the same for as long as the key exists. */
  readonly firstHash: string;
  readonly shard: Shard;
}

/** With several peppers, a key's hash may change while it is used; one under a former pepper soon does. */
const knownWhileRotatingMs = 60_000;
const formerKnownMs = 5_000;

/** Throws GatewayError: 401 and 403 by the key, 503 where Redis cannot be asked. */
export function findCaller(services: ProxyServices, headers: Headers): Caller | Promise<Caller> {
  const shown = authenticate(headers, services.config.keyPeppers);
  const presentMs = shown.hashes.length === 1 ? Number.POSITIVE_INFINITY : knownWhileRotatingMs;
  let knownMs = presentMs;
  for (const keyHash of shown.hashes) {
    const firstHash = services.knownKeys.firstHashOf(keyHash, knownMs);
    if (firstHash !== undefined) return { keyHash, firstHash, shard: shown.shard };
    knownMs = formerKnownMs;
  }
  return admit(services, shown);
}

/** Asks Redis for a key that this process has not seen yet. */
async function admit(services: ProxyServices, { hashes, shard }: ShownKey): Promise<Caller> {
  const { knownKeys, wallet } = services;
  for (const [index, keyHash] of hashes.entries()) {
    checkWalletReachable(services);
    const identity = connectedRedis(services, shard);
    const result = await wallet.admit({ shard, keyHash, identity }).catch((cause: unknown) => {
      throw walletUnavailable(cause);
    });
    if (result.ok) {
      knownKeys.confirm(keyHash, result.firstHash);
      if (index > 0) reportFormer(services, { shard, keyHash, newHash: hashes[0] ?? '' });
      return { keyHash, firstHash: result.firstHash, shard };
    }
    if (result.reason !== 'key_unknown') throw keyRefusal(result.reason);
  }
  throw keyRefusal('key_unknown');
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
