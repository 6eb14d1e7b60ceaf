/** Usage as proxies produce it: draws from leases, many accounts, one of which makes a fifth of all requests. */
import type { Redis } from 'ioredis';
import { perRateLimit } from '../../shared/limits/rate-limits.ts';
import { nanoUsd } from '../../shared/money.ts';
import { readServerStates } from '../../shared/redis/server-state.ts';
import { noUnits } from '../../shared/usage/billable-units.ts';
import { encodeChargeDetail } from '../../shared/usage/charge-detail.ts';
import { noKeyLimits } from '../../shared/wallet/key-limits.ts';
import type { DrawRequest, LeaseCharge, LeaseCharges, LeaseParts } from '../../shared/wallet/lease.ts';
import { allShards, shardOfAccount } from '../../shared/wallet/shard.ts';
import { Wallet } from '../../shared/wallet/wallet.ts';
import { WalletKeeper } from '../../shared/wallet/wallet-keeper.ts';
import { creditNano } from './stores.ts';

const hotAccount = 1;
const hotShare = 0.2;
const drawsAtOnce = 64;
/** A draw has the charges of ten milliseconds: one or a few. */
const chargesOfDrawMax = 3;
const epoch = 1;
/** A lease asks for an eighth of the credit, which is more than it may get. */
const leasedParts = 8n;
const nothing = { amountNano: nanoUsd(0n), requests: 0, tokens: 0, streams: 0 };

/** A lease whose draws are numbered. */
interface OpenLease extends Omit<LeaseCharges, 'number' | 'charges'>, Pick<DrawRequest, 'keyHash' | 'identity'> {
  number: number;
}

/** Returns the total cost of all events. */
export async function fillStreams(
  redis: Redis,
  { eventCount, accountCount }: { eventCount: number; accountCount: number },
): Promise<{ chargedNano: bigint }> {
  const wallet = new Wallet(redis);
  const leases = await openLeases(redis, wallet, accountCount);
  const waiting = Array.from({ length: eventCount }, makeCharge);
  const chargedNano = waiting.reduce((sum, { costNano }) => sum + costNano, 0n);
  const draw = async () => {
    while (waiting.length > 0) {
      const accountId = Math.random() < hotShare ? hotAccount : 1 + Math.floor(Math.random() * accountCount);
      const lease = leases[accountId - 1];
      if (lease === undefined) throw new Error(`account ${accountId} has no lease`);
      lease.number += 1;
      const charges = waiting.splice(-1 - Math.floor(Math.random() * chargesOfDrawMax));
      if ((await wallet.chargeLease({ ...lease, charges })) === undefined) throw new Error('a lease is not open');
    }
  };
  await Promise.all(Array.from({ length: drawsAtOnce }, draw));
  for (const lease of leases) await endLease(wallet, lease);
  return { chargedNano };
}

async function openLeases(redis: Redis, wallet: Wallet, accountCount: number): Promise<OpenLease[]> {
  const keeper = new WalletKeeper(redis);
  const [server] = (await readServerStates(redis)).values();
  if (server === undefined) throw new Error('Redis does not answer');
  const identity = server.runId;
  for (const shard of allShards) await keeper.writeMeta(shard, { mode: 'open', epoch, identity });
  const leases: OpenLease[] = [];
  for (let accountId = 1; accountId <= accountCount; accountId += 1) {
    const credited = { creditedNano: creditNano, spentNano: 0n, creditSeq: 1 };
    await keeper.hydrate({ accountId, ...credited, orphans: new Map() });
    const keyHash = `hash of ${accountId}`;
    await keeper.publishKey({
      ...{ id: accountId, accountId, hash: keyHash, version: 1, deleted: false, active: true, addressProven: true },
      ...{ expiresAt: null, allowedModels: null, limits: noKeyLimits },
    });
    leases.push(await openLease(wallet, { accountId, keyHash, identity }));
  }
  return leases;
}

async function openLease(
  wallet: Wallet,
  { accountId, ...key }: Pick<OpenLease, 'accountId' | 'keyHash' | 'identity'>,
): Promise<OpenLease> {
  const shard = shardOfAccount(accountId);
  const lease = { leaseId: Bun.randomUUIDv7(), number: 1, shard, accountId, isPacked: true, ...key };
  const { status } = await wallet.draw(drawOf(lease, { next: 'open', amountNano: nanoUsd(creditNano / leasedParts) }));
  if (status !== 'open') throw new Error(`a lease could not be opened: ${status}`);
  return lease;
}

/** Otherwise the next keys that are published would recall it, and none could be opened for a second. */
async function endLease(wallet: Wallet, lease: OpenLease): Promise<void> {
  lease.number += 1;
  const { status } = await wallet.draw(drawOf(lease, { next: 'ended', amountNano: nanoUsd(0n) }));
  if (status !== 'ended') throw new Error(`a lease could not be ended: ${status}`);
}

function drawOf(lease: OpenLease, { next, amountNano }: Pick<DrawRequest, 'next'> & Pick<LeaseParts, 'amountNano'>) {
  return {
    ...{ ...lease, keyId: lease.accountId, rateDefaults: perRateLimit(() => 0), begun: 0, usedTokens: 0 },
    ...{ keep: nothing, want: { ...nothing, amountNano }, next, charges: [], promoted: [] },
  };
}

function makeCharge(): LeaseCharge {
  const promptTokens = 1 + Math.floor(Math.random() * 4_000);
  const completionTokens = 1 + Math.floor(Math.random() * 1_000);
  const detail = encodeChargeDetail({
    model: 'openai/gpt-4o-mini',
    deployment: 'openai/gpt-4o-mini-2024-07-18',
    priceVersion: 1,
    ...noUnits,
    promptTokens,
    completionTokens,
    estimated: false,
    variant: '',
    dimensions: null,
    repeats: '',
    startedAtMs: Date.now(),
  });
  return {
    requestId: Bun.randomUUIDv7(),
    costNano: nanoUsd(BigInt(promptTokens * 180 + completionTokens * 720)),
    detail,
    tokens: promptTokens + completionTokens,
  };
}
