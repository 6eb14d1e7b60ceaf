/** Usage as proxies produce it: draws from leases, many accounts, one of which makes a fifth of all requests. */
import type { Redis } from 'ioredis';
import { perRateLimit } from '../../shared/limits/rate-limits.ts';
import { nanoUsd } from '../../shared/money.ts';
import { readServerStates } from '../../shared/redis/server-state.ts';
import { noUnits } from '../../shared/usage/billable-units.ts';
import { encodeChargeDetail } from '../../shared/usage/charge-detail.ts';
import { noKeyLimits } from '../../shared/wallet/key-limits.ts';
import type { LeaseCharge, LeaseCharges } from '../../shared/wallet/lease.ts';
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
/** So that the streams can be filled again. */
const leasedParts = 8n;
const nothing = { amountNano: nanoUsd(0n), requests: 0, tokens: 0, streams: 0 };

/** A lease whose draws are numbered. */
interface OpenLease extends Omit<LeaseCharges, 'number' | 'charges'> {
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
    const lease = {
      leaseId: Bun.randomUUIDv7(),
      number: 1,
      shard: shardOfAccount(accountId),
      accountId,
      isPacked: true,
    };
    const { status } = await wallet.draw({
      ...{ ...lease, keyHash, keyId: accountId, identity, rateDefaults: perRateLimit(() => 0), charges: [] },
      ...{
        begun: 0,
        usedTokens: 0,
        keep: nothing,
        want: { ...nothing, amountNano: nanoUsd(creditNano / leasedParts) },
      },
      ...{ next: 'open' as const, promoted: [] },
    });
    if (status !== 'open') throw new Error(`a lease could not be opened: ${status}`);
    leases.push(lease);
  }
  return leases;
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
