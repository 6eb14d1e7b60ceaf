/** What every release has left in Redis and in customers' hands is read by the newest code, with the same meaning. */
import { afterAll, beforeEach, describe, expect, test } from 'bun:test';
import { Glob } from 'bun';
import { decodeCursor, decodeRequestCursor } from '../../admin/http/request/page-cursor.ts';
import { readUsageEntry } from '../../admin/ledger/charges/read-usage-entry.ts';
import { replayResponse } from '../../proxy/request/response/stored-response.ts';
import { hashKey, parseKey } from '../../shared/keys/api-key.ts';
import { nanoUsd } from '../../shared/money.ts';
import { shardOfAccount } from '../../shared/wallet/shard.ts';
import { readEntries } from '../../shared/wallet/usage-stream/usage-entry.ts';
import { WalletAuditor } from '../../shared/wallet/wallet-auditor.ts';
import { readIdentity } from '../harness/wallet/shard-state.ts';
import {
  heldBy,
  noRateLimits,
  reserveRequestOf,
  startWalletBench,
  type TestAccount,
} from '../harness/wallet/wallet-bench.ts';
import { ids, loadKeys, type Samples } from './samples.ts';

const bench = await startWalletBench();
const { redis, wallet, keeper } = bench;
const auditor = new WalletAuditor(redis);

afterAll(() => bench.stop());

const accountId = 1;
const shard = shardOfAccount(accountId);
const account = async (): Promise<TestAccount> => ({
  accountId,
  shard,
  keyHash: `hash-of-${accountId}`,
  identity: await readIdentity(redis, shard),
});

const files = [...new Glob('*.json').scanSync(`${import.meta.dirname}/samples`)].sort();
const collection: Samples[] = await Promise.all(
  files.map((file) => Bun.file(`${import.meta.dirname}/samples/${file}`).json()),
);

test('samples of at least one release exist', () => {
  expect(collection.length).toBeGreaterThan(0);
});

describe.each(collection.map((samples) => [samples.version, samples] as const))(
  'the data that %s has left',
  (_, samples) => {
    beforeEach(async () => {
      await redis.flushall();
      await loadKeys(redis, samples.redis);
      // It is the Redis that the shard was opened in: another one would be compared with the ledger first.
      await redis.hset(`{s${shard}}:meta`, 'identity', await readIdentity(redis, shard));
    });

    test('includes wallets with what was held and spent', async () => {
      expect(await bench.balances(await account())).toEqual([999_790n, 100n, 110n]);
    });

    test('includes a key with its limits and what it has spent of them', async () => {
      const { keyHash, identity } = await account();
      const request = { shard, keyHash, identity, rateDefaults: noRateLimits, spending: true };
      expect(await wallet.keyStatus(request)).toMatchObject({
        ok: true,
        rateLimits: { requestsPerMinute: 60, tokensPerMinute: 100_000, concurrentStreams: 5 },
        spendLimitsNano: { day: 500_000n, month: null, total: 900_000n },
        spent: { spentNano: { total: 135n }, heldNano: 100n },
      });
    });

    test('includes a running request with its hold, which is charged when it ends', async () => {
      expect(await auditor.readHolds(shard)).toEqual([
        { requestId: ids.running, accountId, amountNano: 100n, progressNano: 40n },
      ]);
      const held = heldBy(await account(), ids.running);
      const settled = await wallet.settle(held, { costNano: nanoUsd(90n), detail: '[]', tokens: 20 });
      expect(settled.chargedNano).toBe(nanoUsd(90n));
      expect(await bench.balances(await account())).toEqual([999_800n, 0n, 200n]);
    });

    test('includes a running request that can be renewed', async () => {
      const state = { amountNano: nanoUsd(150n), costNano: nanoUsd(60n), detail: '[]' };
      expect(await wallet.renew(heldBy(await account(), ids.running), state)).toMatchObject({ ok: true });
      expect(await auditor.readHolds(shard)).toMatchObject([{ amountNano: 150n, progressNano: 60n }]);
    });

    test('does not end twice what has ended, and an estimate is replaced by the final cost', async () => {
      const charge = { costNano: nanoUsd(55n), detail: '[]', tokens: 0 };
      const settle = async (requestId: string) => wallet.settle(heldBy(await account(), requestId), charge);
      expect((await settle(ids.answered)).chargedNano).toBe(nanoUsd(70n));
      expect((await settle(ids.released)).chargedNano).toBeUndefined();
      expect((await settle(ids.estimated)).chargedNano).toBe(nanoUsd(55n));
      expect(await bench.balances(await account())).toEqual([999_775n, 100n, 125n]);
    });

    test('includes a stored response, which is returned again, and a running request is not run twice', async () => {
      const repeat = async (idempotencyKeyDigest: string) =>
        wallet.reserve(reserveRequestOf(await account(), { once: { idempotencyKeyDigest, bodyDigest: 'body' } }));
      expect(await repeat('digest-of-running')).toMatchObject({ ok: false, reason: 'in_progress' });
      const repetition = await repeat('digest-of-answered');
      if (repetition.ok || repetition.reason !== 'answered') throw new Error('the answer is not known');
      const response = replayResponse(repetition.response, new Headers(), { exposeDeployments: true });
      expect(await response.text()).toBe('{"id":"x"}');
      expect(response.headers.get('x-cost-usd')).toBe('0.00000007');
      expect(response.headers.get('x-original-request-id')).toBe(ids.answered);
    });

    test('includes a charge that no wallet took, which counts when the wallet is hydrated', async () => {
      expect(await keeper.readOrphans(ids.orphanAccount)).toEqual([ids.orphan]);
      const orphans = new Map([[ids.orphan, { rank: 0, chargedNano: 0n }]]);
      expect(await bench.hydrate(ids.orphanAccount, 1_000n, 0n, orphans)).toBe('hydrated');
      expect(await keeper.readWallet(ids.orphanAccount)).toMatchObject({ availableNano: 967n });
    });

    test('includes the usage stream, every entry of which is booked', async () => {
      const booked = [];
      for (const of of [shard, shardOfAccount(ids.orphanAccount)]) {
        for (const entry of await redis.xrange(`{s${of}}:usage`, '-', '+'))
          booked.push(...readEntries(entry).map(readUsageEntry));
      }
      const detail = { model: 'test/chat', promptTokens: 12, cachedPromptTokens: 3, completionTokens: 7 };
      expect(booked).toMatchObject([
        { kind: 'charge', requestId: ids.answered, rank: 2, costNano: 70n, detail, walletSeq: 1 },
        { kind: 'charge', requestId: ids.estimated, rank: 1, costNano: 40n, detail, walletSeq: 2 },
        { kind: 'charge', requestId: ids.orphan, rank: 2, costNano: 33n, detail, walletSeq: null },
      ]);
    });

    test("includes keys, passwords and cursors in customers' hands, which still work", async () => {
      expect(parseKey(samples.apiKey.key)).toMatchObject({ kind: 'proxy' });
      expect(hashKey(samples.apiKey.key, 'pepper')).toBe(samples.apiKey.hash);
      expect(await Bun.password.verify('correct horse battery staple', samples.passwordHash)).toBe(true);
      const position = { at: new Date(1_763_750_000_000), id: ids.answered };
      expect(decodeCursor(samples.cursor, 'cursor')).toEqual(position);
      expect(decodeRequestCursor(samples.cursor, 'cursor')).toEqual({ ...position, rank: 2 });
    });
  },
);
