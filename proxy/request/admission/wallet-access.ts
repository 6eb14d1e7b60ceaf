/** When a wallet can be asked, and the patience for one that has yet to come from the ledger. */
import { canSend } from '../../../shared/redis/can-send.ts';
import type { OtherRules } from '../../../shared/wallet/reserve-reply.ts';
import type { Shard } from '../../../shared/wallet/shard.ts';
import type { ProxyServices } from '../services.ts';
import type { Caller } from './caller.ts';
import { judgeAgain } from './judge-rules.ts';
import { walletUnavailable } from './refusal.ts';

/** How often and how long a request waits for its account's wallet. */
const walletWaitMs = 2_000;
const walletPollMs = 40;
/** Rules do not change more often while one request asks. */
const judgementsMax = 3;

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
 * is missing, they are recalled, and it is asked once more, with `isRecalled`. `call` sends the mark of
 * the caller's rules: if the key has others by now, the caller is judged by those. Throws GatewayError `address_not_allowed`.
 */
export async function askWallet<Result extends Asked>(
  services: ProxyServices,
  caller: Caller,
  call: (isRecalled: boolean) => Promise<Result | OtherRules>,
): Promise<Result> {
  const ask = (isRecalled: boolean) => askJudged(services, caller, () => askLoadedWallet(() => call(isRecalled)));
  const result = await ask(false);
  if (result.ok || result.leasesOf === undefined) return result;
  await services.settlement.recalls.recall(caller.shard, result.leasesOf);
  return ask(true);
}

async function askJudged<Result extends Asked>(
  services: ProxyServices,
  caller: Caller,
  ask: () => Promise<Result | OtherRules>,
): Promise<Result> {
  for (let judgements = 0; judgements <= judgementsMax; judgements += 1) {
    const result = await ask();
    if (!isOther(result)) return result;
    judgeAgain(services, caller, result.rules);
  }
  throw walletUnavailable();
}

function isOther(result: Asked | OtherRules): result is OtherRules {
  return !result.ok && result.reason === 'other_rules';
}

async function askLoadedWallet<Result extends Asked>(call: () => Promise<Result>): Promise<Result> {
  const until = Date.now() + walletWaitMs;
  for (;;) {
    const result = await call();
    if (result.ok || result.reason !== 'wallet_missing' || Date.now() > until) return result;
    await Bun.sleep(walletPollMs);
  }
}
