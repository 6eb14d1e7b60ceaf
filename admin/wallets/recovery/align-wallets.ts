/**
 * Sets wallets that are behind the ledger, because Redis has lost writes, to the ledger's state. For shards that are
 * recovering: no new requests arrive, and charges of running ones change the wallet's version, so that the attempt
 * fails and is repeated.
 */
import type { Log } from '../../../shared/log.ts';
import type { Shard } from '../../../shared/wallet/shard.ts';
import type { AuditedWallet, WalletAuditor } from '../../../shared/wallet/wallet-auditor.ts';
import type { WalletKeeper } from '../../../shared/wallet/wallet-keeper.ts';
import type { AccountTotals, RecoveryLedger } from './recovery-ledger.ts';

export interface AlignServices {
  readonly ledger: RecoveryLedger;
  readonly keeper: WalletKeeper;
  readonly auditor: WalletAuditor;
  readonly log: Log;
}

const requestsAtOnce = 1_000;
const attemptsMax = 10;
const bookingTimeoutMs = 10_000;
const bookingPollMs = 20;

/** Returns how many wallets were set. */
export async function alignWallets(services: AlignServices, shard: Shard): Promise<number> {
  await endBookedHolds(services, shard);
  let aligned = 0;
  for await (const accountIds of services.ledger.accountsOf(shard)) {
    aligned += await alignAccounts(services, shard, accountIds);
  }
  return aligned;
}

/**
 * A Redis that has lost writes may hold money for requests that the ledger has booked. Their holds are released before
 * wallets are compared: otherwise a replayed charge would find its hold, and be charged to the wallet again. A replay
 * without a hold is left to the ledger (settle.lua).
 */
async function endBookedHolds({ ledger, keeper }: AlignServices, shard: Shard): Promise<void> {
  const held = await keeper.readHeldRequests(shard);
  for (let start = 0; start < held.length; start += requestsAtOnce) {
    const outcomes = await ledger.readOutcomes(held.slice(start, start + requestsAtOnce));
    await keeper.restoreOutcomes(shard, outcomes);
  }
}

async function alignAccounts(services: AlignServices, shard: Shard, accountIds: readonly number[]): Promise<number> {
  let waiting = accountIds;
  let aligned = 0;
  for (let attempt = 0; waiting.length > 0 && attempt < attemptsMax; attempt += 1) {
    const wallets = await services.auditor.readWallets(shard, waiting);
    if (wallets.size === 0) return aligned;
    // Once the stream is empty, the ledger has every charge of the wallets that were read.
    await streamIsBooked(services.auditor, shard);
    const totals = await services.ledger.readTotals([...wallets.keys()]);
    const moved: number[] = [];
    for (const account of totals) {
      const wallet = wallets.get(account.accountId);
      if (wallet === undefined || agrees(wallet, account)) continue;
      if (await align(services, wallet, account)) aligned += 1;
      else moved.push(account.accountId);
    }
    waiting = moved;
  }
  if (waiting.length > 0) throw new Error(`wallets of shard ${shard} change faster than they can be aligned`);
  return aligned;
}

async function align(services: AlignServices, wallet: AuditedWallet, account: AccountTotals): Promise<boolean> {
  const result = await services.auditor.rebase({ ...account, version: wallet.version });
  if (!result.ok) return result.reason === 'wallet_missing';
  const [before, after] = [String(wallet.availableNano), String(result.availableNano)];
  services.log.warn({ accountId: account.accountId, before, after }, "a wallet was set to the ledger's state");
  return true;
}

function agrees(wallet: AuditedWallet, account: AccountTotals): boolean {
  return (
    wallet.spentNano === account.spentNano &&
    wallet.creditedNano === account.creditedNano &&
    wallet.creditSeq === account.creditSeq &&
    wallet.heldNano === wallet.openHoldsNano &&
    wallet.availableNano + wallet.heldNano + wallet.spentNano === wallet.creditedNano
  );
}

async function streamIsBooked(auditor: WalletAuditor, shard: Shard): Promise<void> {
  const until = Date.now() + bookingTimeoutMs;
  while ((await auditor.waiting(shard)) > 0) {
    if (Date.now() > until) throw new Error(`the usage stream of shard ${shard} is not being booked`);
    await Bun.sleep(bookingPollMs);
  }
}
