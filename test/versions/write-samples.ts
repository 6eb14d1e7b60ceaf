/**
 * Writes the data that this version leaves behind: `npm run release:samples 0.2.0` creates `samples/0.2.0.json`, once
 * per release. `samples.test.ts` reads all of them with the newest code, for ever.
 */
import { encodeCursor } from '../../admin/http/request/page-cursor.ts';
import { encodeResponse } from '../../proxy/request/response/stored-response.ts';
import { generateKey, hashKey } from '../../shared/keys/api-key.ts';
import { perSpendLimit } from '../../shared/limits/spend-limits.ts';
import { nanoUsd } from '../../shared/money.ts';
import { encodeChargeDetail } from '../../shared/usage/charge-detail.ts';
import { noKeyLimits } from '../../shared/wallet/key-limits.ts';
import { shardOfAccount } from '../../shared/wallet/shard.ts';
import { detailOf } from '../harness/wallet/charge-detail.ts';
import { expireDue } from '../harness/wallet/shard-state.ts';
import {
  heldBy,
  reserveRequestOf,
  startWalletBench,
  type TestAccount,
  type WalletBench,
} from '../harness/wallet/wallet-bench.ts';
import { dumpKeys, ids, type Samples } from './samples.ts';

const detail = encodeChargeDetail(detailOf({ promptTokens: 12, cachedPromptTokens: 3, completionTokens: 7 }));
const once = (digest: string) => ({ idempotencyKeyDigest: digest, bodyDigest: 'body' });

async function run(bench: WalletBench): Promise<TestAccount> {
  const account = await bench.openAccount(1_000_000n, {
    key: { ...noKeyLimits.key, requestsPerMinute: 60, tokensPerMinute: 100_000, concurrentStreams: 5 },
    spendNano: { ...noKeyLimits.spendNano, day: 500_000n, total: 900_000n },
  });
  const { accountId, shard } = account;
  const spentNano = { ...perSpendLimit(() => 0n), total: 25n };
  await bench.keeper.hydrateSpend({ accountId, scope: String(accountId), at: new Date('2024-10-04'), spentNano });
  const begin = (requestId: string, digest: string | undefined = undefined) => {
    const change = { requestId, detail, rateTokens: 400, once: digest === undefined ? undefined : once(digest) };
    return bench.wallet.reserve(reserveRequestOf(account, change));
  };
  await begin(ids.running, 'digest-of-running');
  const progress = { amountNano: nanoUsd(100n), costNano: nanoUsd(40n), detail };
  await bench.wallet.renew(heldBy(account, ids.running), progress);
  await begin(ids.answered, 'digest-of-answered');
  const response = encodeResponse({
    requestId: ids.answered,
    deployment: 'a/b',
    costUsd: '0.00000007',
    body: '{"id":"x"}',
  });
  const answered = { ...heldBy(account, ids.answered), once: once('digest-of-answered') };
  await bench.wallet.settle(answered, { costNano: nanoUsd(70n), detail, tokens: 19, response });
  await begin(ids.released);
  await bench.wallet.release(heldBy(account, ids.released));
  await begin(ids.estimated);
  await bench.wallet.renew(heldBy(account, ids.estimated), progress);
  await bench.redis.zadd(`{s${shard}}:holds`, 0, ids.estimated);
  await expireDue(bench.keeper, shard);
  return account;
}

/** A charge that Redis could not take from a wallet. */
async function leaveOrphan({ wallet }: WalletBench): Promise<void> {
  const shard = shardOfAccount(ids.orphanAccount);
  const held = { requestId: ids.orphan, shard, accountId: ids.orphanAccount, keyId: ids.orphanAccount, epoch: '1' };
  await wallet.settle(held, { costNano: nanoUsd(33n), detail, tokens: 19 });
}

const [version = ''] = process.argv.slice(2);
if (!/^\d+\.\d+\.\d+$/.test(version)) throw new Error('name the release, such as 0.2.0');
const bench = await startWalletBench();
const account = await run(bench);
await leaveOrphan(bench);
const key = generateKey('proxy', account.shard);
const samples: Samples = {
  version,
  redis: await dumpKeys(bench.redis),
  cursor: encodeCursor({ at: new Date(1_763_750_000_000), id: ids.answered }),
  apiKey: { key, hash: hashKey(key, 'pepper') },
  passwordHash: await Bun.password.hash('correct horse battery staple', { algorithm: 'argon2id' }),
};
await Bun.write(`${import.meta.dirname}/samples/${version}.json`, `${JSON.stringify(samples, null, 2)}\n`);
await bench.stop();
