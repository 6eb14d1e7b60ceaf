/**
 * What a key may spend and what an Idempotency-Key was used for are checked in the reserve call, and are therefore
 * exact under concurrency.
 */
import { afterAll, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { perSpendLimit } from '../../../shared/limits/spend-limits.ts';
import { nanoUsd } from '../../../shared/money.ts';
import { type KeyLimits, noKeyLimits } from '../../../shared/wallet/key-limits.ts';
import type { Once } from '../../../shared/wallet/wallet.ts';
import { expireDue } from '../../harness/wallet/shard-state.ts';
import { heldBy, type TestAccount } from '../../harness/wallet/wallet-bench.ts';
import { dayMs, lateNovemberMs, startClockedBench } from './clocked-bench.ts';

const { bench, wallet, keeper, setClock, now, begin, settle } = await startClockedBench();

afterAll(() => bench.stop());

describe('the spending limit of a key', () => {
  const limits = spending({ day: 1_000n, month: 1_500n });

  test('includes holds, so not even concurrent requests exceed it', async () => {
    await setClock(lateNovemberMs);
    const account = await openWithSpend(limits);
    const outcomes = await Promise.all(Array.from({ length: 30 }, () => begin(account)));
    expect(outcomes.filter(({ reason }) => reason === 'ok')).toHaveLength(10);
    expect(outcomes.find(({ result }) => !result.ok)?.result).toMatchObject({
      reason: 'budget_short',
      leftNano: 0n,
      period: 'day',
    });
  });

  test('goes on from what was counted meanwhile after it was removed and set again', async () => {
    await setClock(lateNovemberMs);
    const account = await openWithSpend(limits);
    const publish = (version: number, change: Partial<KeyLimits>) =>
      keeper.publishKey({
        ...{ id: account.accountId, accountId: account.accountId, hash: account.keyHash, version },
        ...{ deleted: false, active: true, addressProven: true, expiresAt: null, allowedModels: null },
        limits: { ...noKeyLimits, ...change },
      });
    await publish(2, {});
    const { requestId } = await begin(account);
    await settle(account, requestId, 100n);
    await publish(3, limits);
    const tooMuch = { amountNano: nanoUsd(901n) };
    expect((await begin(account, tooMuch)).result).toMatchObject({ reason: 'budget_short', leftNano: 900n });
  });

  test('resets at midnight UTC each day and month, and earlier spending still counts in the month', async () => {
    await setClock(lateNovemberMs - dayMs);
    const account = await openWithSpend(limits);
    const { requestId } = await begin(account, { amountNano: nanoUsd(900n) });
    await settle(account, requestId, 900n);
    expect((await begin(account, { amountNano: nanoUsd(101n) })).result).toMatchObject({
      period: 'day',
      leftNano: 100n,
    });
    await setClock(lateNovemberMs);
    expect((await begin(account, { amountNano: nanoUsd(601n) })).result).toMatchObject({
      period: 'month',
      leftNano: 600n,
    });
    await setClock(lateNovemberMs + 30 * 60_000);
    expect((await begin(account, { amountNano: nanoUsd(1_000n) })).reason).toBe('ok');
  });

  test('lowers an output cap that the client left open', async () => {
    await setClock(lateNovemberMs);
    const account = await openWithSpend(spending({ total: 60n }));
    const { result } = await begin(account, { lowestCap: 16 });
    expect(result).toMatchObject({ ok: true, outputCap: 60, amountNano: 60n });
  });

  test('says in its refusal what all limits will leave once no request holds anything', async () => {
    const amounts = fc.record({
      day: fc.bigInt(1n, 2_000n),
      total: fc.bigInt(1n, 2_000n),
      spent: fc.array(fc.bigInt(0n, 100n), { maxLength: 4 }),
      running: fc.integer({ min: 0, max: 8 }),
    });
    const property = fc.asyncProperty(amounts, async ({ day, total, spent, running }) => {
      await setClock(lateNovemberMs);
      const account = await openWithSpend(spending({ day, total }));
      let atRest = day < total ? day : total;
      for (const cost of spent) {
        const { requestId, reason } = await begin(account);
        if (reason !== 'ok') continue;
        await settle(account, requestId, cost);
        atRest -= cost;
      }
      for (let request = 0; request < running; request += 1) await begin(account);
      const { result } = await begin(account, { amountNano: nanoUsd(2_001n) });
      expect(result).toMatchObject({ reason: 'budget_short', leftAtRestNano: atRest });
    });
    await fc.assert(property, { numRuns: 40 });
  });

  test('of a deferred request lowers its cap only where waiting would not help much, and else says so', async () => {
    const amounts = fc.record({
      balance: fc.bigInt(1n, 1_000n),
      total: fc.bigInt(1n, 1_000n),
      held: fc.array(fc.bigInt(1n, 200n), { maxLength: 5 }),
      outputCap: fc.integer({ min: 16, max: 1_000 }),
    });
    const property = fc.asyncProperty(amounts, async ({ balance, total, held, outputCap }) => {
      await setClock(lateNovemberMs);
      const account = await bench.openAccount(balance, spending({ total }));
      await hydrateSpend(account, 0n);
      const atRest = balance < total ? balance : total;
      let left = atRest;
      for (const amountNano of held)
        if ((await begin(account, { amountNano: nanoUsd(amountNano) })).reason === 'ok') left -= amountNano;
      const [cap, later] = [left, atRest].map((nano) => Math.min(outputCap, Number(nano))) as [number, number];
      const wanted = { amountNano: nanoUsd(BigInt(outputCap)), outputCap, lowestCap: 16 };
      const { result } = await begin(account, { ...wanted, isUnlimited: true });
      const isCut = later > cap && later >= Math.min(outputCap, 2 * cap);
      if (cap >= 16 && !isCut) expect(result).toMatchObject({ ok: true, outputCap: cap });
      else if (cap >= 16) expect(result.ok ? 'ok' : result.reason).toBeOneOf(['short', 'budget_short']);
      else expect(result.ok).toBe(false);
      if (!result.ok && result.reason === 'budget_short') expect(result.leftAtRestNano).toBe(nanoUsd(atRest));
    });
    await fc.assert(property, { numRuns: 60 });
  });

  test("counts exactly what was charged, with nothing held, however the key's requests ended", async () => {
    const endings = ['settle', 'release', 'expire', 'expire, then settle'] as const;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ ending: fc.constantFrom(...endings), cost: fc.bigInt(0n, 100n) }), { maxLength: 12 }),
        async (requests) => {
          await setClock(lateNovemberMs);
          const account = await openWithSpend(spending({ total: 100_000n }));
          let charged = 0n;
          const late: [string, bigint][] = [];
          for (const { ending, cost } of requests) {
            const { requestId } = await begin(account);
            const held = heldBy(account, requestId);
            if (ending === 'release') await wallet.release(held);
            else if (ending === 'settle') await settle(account, requestId, cost);
            else {
              const progress = cost / 2n;
              await wallet.renew(held, { amountNano: nanoUsd(100n), costNano: nanoUsd(progress), detail: '{}' });
              if (ending !== 'expire') late.push([requestId, cost]);
            }
            charged += ending === 'release' ? 0n : ending === 'expire' ? cost / 2n : cost;
          }
          await setClock(lateNovemberMs + dayMs);
          await expireDue(keeper, account.shard);
          for (const [requestId, cost] of late) await settle(account, requestId, cost);
          const spend = await bench.redis.hgetall(`{s${account.shard}}:spend:${account.accountId}`);
          expect(spend).toMatchObject({ held: '0', total: String(charged) });
        },
      ),
      { numRuns: 25 },
    );
  });

  test('needs the spending from the ledger if Redis does not know it, and again in a new epoch', async () => {
    await setClock(lateNovemberMs);
    const account = await bench.openAccount(1_000_000n, limits);
    expect((await begin(account)).reason).toBe('wallet_missing');
    const sent = await bench.entries(account);
    expect(sent.at(-1)).toMatchObject({
      kind: 'hydrate',
      account: String(account.accountId),
      key: String(account.accountId),
    });
    await hydrateSpend(account, 950n);
    expect((await begin(account)).result).toMatchObject({ reason: 'budget_short', leftNano: 50n });
    await bench.keeper.writeMeta(account.shard, { mode: 'open', epoch: 2, identity: account.identity });
    expect((await begin(account)).reason).toBe('wallet_missing');
  });
});

describe('the same Idempotency-Key', () => {
  const once = (idempotencyKeyDigest: string, bodyDigest = 'body'): { once: Once } => ({
    once: { idempotencyKeyDigest, bodyDigest },
  });

  test('lets one of many concurrent requests begin, and the others get its status and then its response', async () => {
    await setClock(lateNovemberMs);
    const account = await bench.openAccount(1_000_000n);
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => begin(account, once('first'))));
    expect(outcomes.filter(({ reason }) => reason === 'ok')).toHaveLength(1);
    expect(outcomes.filter(({ reason }) => reason === 'in_progress')).toHaveLength(19);
    const { requestId = '' } = outcomes.find(({ reason }) => reason === 'ok') ?? {};
    const held = { ...heldBy(account, requestId), ...once('first') };
    await wallet.settle(held, { costNano: nanoUsd(7n), detail: '{}', tokens: 1, response: 'the answer' });
    expect((await begin(account, once('first'))).result).toMatchObject({ reason: 'answered', response: 'the answer' });
    expect((await begin(account, once('first', 'another'))).reason).toBe('reused');
    expect(await bench.balances(account)).toEqual([999_993n, 0n, 7n]);
  });

  test('can be used again after the first request failed or its proxy crashed', async () => {
    await setClock(lateNovemberMs);
    const account = await bench.openAccount(1_000_000n);
    const first = await begin(account, once('failed'));
    await wallet.release(heldBy(account, first.requestId));
    expect((await begin(account, once('failed'))).reason).toBe('ok');
    await setClock(lateNovemberMs + 200_000);
    await expireDue(keeper, account.shard);
    expect((await begin(account, once('failed'))).reason).toBe('ok');
  });
});

function spending(limitsNano: Partial<KeyLimits['spendNano']>): Pick<KeyLimits, 'spendNano'> {
  return { spendNano: { ...noKeyLimits.spendNano, ...limitsNano } };
}

async function openWithSpend(limits: Partial<KeyLimits>): Promise<TestAccount> {
  const account = await bench.openAccount(1_000_000n, limits);
  await hydrateSpend(account, 0n);
  return account;
}

async function hydrateSpend({ accountId }: TestAccount, spentNano: bigint): Promise<void> {
  const spent = { at: await now(), spentNano: perSpendLimit(() => spentNano) };
  await keeper.hydrateSpend({ accountId, scope: String(accountId), ...spent });
}

/** Another key of the account. */
