/** Key check, reserve and settle as in the gateway, for a request that is always the same. */
import { authenticate } from '../../../proxy/request/admission/authenticate.ts';
import { loadProxyConfig } from '../../../shared/config/proxy.ts';
import { connectRedis, whenReady } from '../../../shared/redis/connect.ts';
import { readServerStates } from '../../../shared/redis/server-state.ts';
import { Wallet } from '../../../shared/wallet/wallet.ts';
import { fixedCharge, fixedRequest } from '../../wallet/fixed-requests.ts';
import type { Begin } from './forward-text.ts';

const readyMs = 5_000;

/** Reads its address and its secret from the environment, as the proxy does. */
export async function connectWallet(): Promise<Begin> {
  const { redisAddress, keyPeppers } = loadProxyConfig();
  const redis = connectRedis(redisAddress, () => {});
  await whenReady(redis, readyMs);
  const [server] = (await readServerStates(redis)).values();
  if (server === undefined) throw new Error('Redis does not answer');
  const wallet = new Wallet(redis);
  return async ({ headers }) => {
    const { shard, hashes } = authenticate(headers, keyPeppers);
    const [keyHash = ''] = hashes;
    const requestId = Bun.randomUUIDv7();
    const request = fixedRequest({ requestId, shard, keyHash, identity: server.runId });
    const reserved = await wallet.reserve(request);
    if (!reserved.ok) throw new Error(`reserve: ${reserved.reason}`);
    const { accountId, keyId, epoch } = reserved;
    return async () => {
      await wallet.settle({ requestId, shard, accountId, keyId, epoch }, fixedCharge());
    };
  };
}
