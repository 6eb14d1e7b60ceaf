/** Usage as proxies produce it: the real settle script, many accounts, one of which makes a fifth of all requests. */
import type { Redis } from 'ioredis';
import { nanoUsd } from '../../shared/money.ts';
import { noUnits } from '../../shared/usage/billable-units.ts';
import { encodeChargeDetail } from '../../shared/usage/charge-detail.ts';
import { shardOfAccount } from '../../shared/wallet/shard.ts';
import { Wallet } from '../../shared/wallet/wallet.ts';
import { WalletKeeper } from '../../shared/wallet/wallet-keeper.ts';
import { creditNano } from './stores.ts';

const hotAccount = 1;
const hotShare = 0.2;
const settlesAtOnce = 64;
/** For shards that have not been opened. */
const epoch = '0';

/** Returns the total cost of all events. */
export async function fillStreams(
  redis: Redis,
  { eventCount, accountCount }: { eventCount: number; accountCount: number },
): Promise<{ chargedNano: bigint }> {
  const keeper = new WalletKeeper(redis);
  for (let accountId = 1; accountId <= accountCount; accountId += 1) {
    const credited = { creditedNano: creditNano, spentNano: 0n, creditSeq: 1 };
    await keeper.hydrate({ accountId, ...credited, orphans: new Map() });
  }
  const wallet = new Wallet(redis);
  let chargedNano = 0n;
  let made = 0;
  const settle = async () => {
    while (made < eventCount) {
      made += 1;
      const accountId = Math.random() < hotShare ? hotAccount : 1 + Math.floor(Math.random() * accountCount);
      const charge = makeCharge();
      chargedNano += charge.costNano;
      const shard = shardOfAccount(accountId);
      await wallet.settle({ requestId: Bun.randomUUIDv7(), shard, accountId, keyId: accountId, epoch }, charge);
    }
  };
  await Promise.all(Array.from({ length: settlesAtOnce }, settle));
  return { chargedNano };
}

function makeCharge() {
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
    startedAtMs: Date.now(),
  });
  return {
    costNano: nanoUsd(BigInt(promptTokens * 180 + completionTokens * 720)),
    detail,
    tokens: promptTokens + completionTokens,
  };
}
