/** When a wallet can be asked, and the patience for one that has yet to come from the ledger. */
import { canSend } from '../../../shared/redis/can-send.ts';
import type { Shard } from '../../../shared/wallet/shard.ts';
import type { ProxyServices } from '../services.ts';
import { walletUnavailable } from './refusal.ts';

/** How often and how long a request waits for its account's wallet. */
const walletWaitMs = 2_000;
const walletPollMs = 40;

/** Which Redis is responsible for a shard. Throws GatewayError `wallet_unavailable` where that is not known yet. */
export function connectedRedis({ settlement }: ProxyServices, shard: Shard): string {
  const identity = settlement.redisWatch.identityOf(shard);
  if (identity === undefined) throw walletUnavailable();
  return identity;
}

/** Throws GatewayError `wallet_unavailable` while no new request may begin. */
export function checkWalletReachable({ redis, settlement }: ProxyServices): void {
  const { replayBuffer, redisWatch } = settlement;
  if (!canSend(redis) || replayBuffer.full || redisWatch.memoryShort) throw walletUnavailable();
}

type Asked =
  | { readonly ok: true }
  | { readonly ok: false; readonly reason: string; readonly leasesOf?: number | undefined };

/**
 * Asks again while the wallet is missing; the asking itself has it fetched. If it refuses and leases have a part of what
 * is missing, they are recalled, and it is asked once more, with `isRecalled`.
 */
export async function askWallet<Result extends Asked>(
  services: ProxyServices,
  shard: Shard,
  call: (isRecalled: boolean) => Promise<Result>,
): Promise<Result> {
  const result = await askLoadedWallet(() => call(false));
  if (result.ok || result.leasesOf === undefined) return result;
  await services.settlement.recalls.recall(shard, result.leasesOf);
  return askLoadedWallet(() => call(true));
}

async function askLoadedWallet<Result extends Asked>(call: () => Promise<Result>): Promise<Result> {
  const until = Date.now() + walletWaitMs;
  for (;;) {
    const result = await call();
    if (result.ok || result.reason !== 'wallet_missing' || Date.now() > until) return result;
    await Bun.sleep(walletPollMs);
  }
}
