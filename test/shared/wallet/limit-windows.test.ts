/** The windows of limits as the scripts and the programs see them, and records of versions that had others. */
import { afterAll, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { zoneOffsets } from '../../../shared/days-of-zone.ts';
import { scopeName } from '../../../shared/limits/budget-levels.ts';
import { perRateLimit, rateLimits, rateWindows } from '../../../shared/limits/rate-limits.ts';
import { perSpendLimit, spendLimits, windowedLimits, windowNumber } from '../../../shared/limits/spend-limits.ts';
import type { ZoneOffsets } from '../../../shared/limits/zone-offsets.ts';
import { recordOf } from '../../../shared/members.ts';
import { nanoUsd } from '../../../shared/money.ts';
import { noKeyLimits } from '../../../shared/wallet/key-limits.ts';
import { noRateLimits, type TestAccount, walletKeyOf } from '../../harness/wallet/wallet-bench.ts';
import { lateNovemberMs, startClockedBench } from './clocked-bench.ts';

const { bench, wallet, keeper, setClock, begin, settle } = await startClockedBench();

afterAll(() => bench.stop());

const anyMomentMs = fc.integer({ min: Date.UTC(2026, 0, 1), max: Date.UTC(2096, 0, 1) });
/** So that pairs of moments are often in the same window of some limit. */
const anyDistanceMs = fc.oneof(...[600_000, 90_000_000, 6_000_000_000].map((max) => fc.integer({ min: 0, max })));
const every = { spendNano: perSpendLimit(() => 1_000_000n) };

async function statusOf({ shard, keyHash, identity }: TestAccount) {
  const status = await wallet.keyStatus({ shard, keyHash, identity, rateDefaults: noRateLimits, spending: true });
  if (!status.ok) throw new Error(`the key is refused: ${status.reason}`);
  return status;
}

const spendKeyOf = ({ shard, accountId }: TestAccount) => `{s${shard}}:spend:${accountId}`;

describe('spending that is loaded from the ledger', () => {
  test('counts as long as its window lasts, by the scripts and by the programs alike', async () => {
    await fc.assert(
      fc.asyncProperty(anyMomentMs, anyDistanceMs, async (loadedMs, distanceMs) => {
        const [at, later] = [new Date(loadedMs), new Date(loadedMs + distanceMs)];
        const account = await bench.openAccount(1_000_000n, every);
        const { accountId } = account;
        const spentNano = perSpendLimit(({ place }) => BigInt(place));
        await setClock(loadedMs);
        await keeper.hydrateSpend({ accountId, scope: String(accountId), at, spentNano });
        await setClock(later.getTime());
        const { spent } = await statusOf(account);
        for (const limit of spendLimits) {
          const isOver = limit.window !== undefined && windowNumber(limit, at) !== windowNumber(limit, later);
          expect(spent?.spentNano[limit.name]).toBe(nanoUsd(isOver ? 0n : spentNano[limit.name]));
        }
      }),
      { numRuns: 60 },
    );
  });

  test('a charge adds to the window in which it is made, and starts it again if another one was recorded', async () => {
    await fc.assert(
      fc.asyncProperty(anyMomentMs, anyDistanceMs, async (loadedMs, distanceMs) => {
        const [at, later] = [new Date(loadedMs), new Date(loadedMs + distanceMs)];
        await setClock(loadedMs);
        const account = await bench.openAccount(1_000_000n, every);
        const { accountId } = account;
        await keeper.hydrateSpend({ accountId, scope: String(accountId), at, spentNano: perSpendLimit(() => 500n) });
        await setClock(later.getTime());
        await settle(account, (await begin(account)).requestId, 70n);
        const record = await bench.redis.hgetall(spendKeyOf(account));
        for (const limit of windowedLimits) {
          const isOver = windowNumber(limit, at) !== windowNumber(limit, later);
          expect(record[limit.name]).toBe(String(windowNumber(limit, later)));
          expect(record[limit.counted]).toBe(isOver ? '70' : '570');
        }
        expect(record.total).toBe('570');
      }),
      { numRuns: 60 },
    );
  });

  test('a record of a version that did not have a limit has nothing for it, and a charge adds it', async () => {
    await setClock(lateNovemberMs);
    for (const limit of windowedLimits) {
      const account = await bench.openAccount(1_000_000n, every);
      const { accountId } = account;
      const at = new Date(lateNovemberMs);
      await keeper.hydrateSpend({ accountId, scope: String(accountId), at, spentNano: perSpendLimit(() => 500n) });
      await bench.redis.hdel(spendKeyOf(account), limit.name, limit.counted);
      expect((await statusOf(account)).spent?.spentNano).toEqual({
        ...perSpendLimit(() => nanoUsd(500n)),
        [limit.name]: nanoUsd(0n),
      });
      await settle(account, (await begin(account)).requestId, 70n);
      expect(await bench.redis.hget(spendKeyOf(account), limit.counted)).toBe('70');
    }
  });
});

describe('the zone of an organization', () => {
  const zones = ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Europe/Moscow', 'Asia/Kathmandu', 'UTC'];
  const publish = ({ accountId }: TestAccount, { id, hash, zone }: { id: number; hash: string; zone: ZoneOffsets }) =>
    keeper.publishKey({
      ...{ id, accountId, hash, version: 2, deleted: false, active: true, addressProven: true, expiresAt: null, zone },
      ...{ allowedModels: null, limits: { ...noKeyLimits, budgetsNano: { organization: every.spendNano } } },
    });
  const scopeOf = ({ accountId }: TestAccount) => scopeName({ level: 'organization', accountId, id: accountId });
  const newestEntry = async ({ shard }: TestAccount) => {
    const [entry] = await bench.redis.xrevrange(`{s${shard}}:usage`, '+', '-', 'COUNT', 1);
    return entry?.[0];
  };

  test('is the same whenever its keys were published, and the ledger was asked', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...zones),
        fc.array(anyMomentMs, { minLength: 3, maxLength: 3 }),
        async (timeZone, moments) => {
          const account = await bench.openAccount(1_000_000n);
          const [first, second, now] = moments.toSorted((one, other) => one - other) as [number, number, number];
          // No text is older than the years that it has.
          const at = new Date(Math.min(now, first + 10 * 365 * 86_400_000));
          const others = [first, Math.min(second, at.getTime())];
          await setClock(at.getTime());
          const keys = others.map((published, index) => ({
            id: account.accountId * 10 + index,
            hash: `key-${index}-of-${account.accountId}`,
            zone: zoneOffsets(timeZone, new Date(published)),
          }));
          for (const key of keys) await publish(account, key);
          const reasons = async () => {
            const found: string[] = [];
            for (const { hash: keyHash } of [...keys, ...keys])
              found.push((await begin({ ...account, keyHash })).reason);
            return [...new Set(found)];
          };
          expect(await reasons()).toEqual(['wallet_missing']);
          const sums = { ...account, scope: scopeOf(account), at, spentNano: perSpendLimit(() => 5n) };
          const asked = await newestEntry(account);
          await keeper.hydrateSpend({ ...sums, zone: zoneOffsets(timeZone, at), asked });
          expect(await reasons()).toEqual(['ok']);
        },
      ),
      { numRuns: 60 },
    );
  });

  test('is not another one, although clocks show the same now', async () => {
    const summer = Date.UTC(2026, 6, 1);
    await setClock(summer);
    const account = await bench.openAccount(1_000_000n);
    const zoneOf = (timeZone: string) => zoneOffsets(timeZone, new Date(summer));
    const keyHash = `berlin-${account.accountId}`;
    await publish(account, { id: account.accountId, hash: keyHash, zone: zoneOf('Europe/Berlin') });
    expect((await begin({ ...account, keyHash })).reason).toBe('wallet_missing');
    const sums = { scope: scopeOf(account), at: new Date(summer), spentNano: perSpendLimit(() => 5n) };
    const answer = async (timeZone: string) =>
      keeper.hydrateSpend({ ...account, ...sums, zone: zoneOf(timeZone), asked: await newestEntry(account) });
    await answer('Africa/Johannesburg');
    expect((await begin({ ...account, keyHash })).reason).toBe('wallet_missing');
    await answer('Europe/Berlin');
    expect((await begin({ ...account, keyHash })).reason).toBe('ok');
  });
});

test('a correction may have taken back more than was spent in a window', async () => {
  await setClock(lateNovemberMs);
  const account = await bench.openAccount(1_000_000n, every);
  const { accountId } = account;
  const at = new Date(lateNovemberMs);
  await keeper.hydrateSpend({ accountId, scope: String(accountId), at, spentNano: perSpendLimit(() => -600n) });
  expect((await statusOf(account)).spent?.spentNano).toMatchObject({ day: nanoUsd(-600n) });
  await settle(account, (await begin(account)).requestId, 70n);
  expect(await bench.redis.hget(spendKeyOf(account), 'total')).toBe('-530');
});

describe('a limit', () => {
  test.each(spendLimits.map((limit) => [limit.name, limit] as const))(
    'of spending, %s, is named if it is the tightest',
    async (name) => {
      await setClock(lateNovemberMs);
      const account = await bench.openAccount(1_000_000n, { spendNano: { ...every.spendNano, [name]: 50n } });
      const { accountId } = account;
      const at = new Date(lateNovemberMs);
      await keeper.hydrateSpend({ accountId, scope: String(accountId), at, spentNano: perSpendLimit(() => 0n) });
      expect((await begin(account)).result).toMatchObject({
        reason: 'budget_short',
        level: 'key',
        period: name,
        leftNano: 50n,
      });
    },
  );

  test.each(rateLimits.map((limit) => [limit.name, limit] as const))(
    '%s applies to a key by its default, its own and that of its account',
    async (name, { inScripts }) => {
      await setClock(lateNovemberMs);
      const one = { [name]: 1 };
      const limited = { reason: 'limited', what: inScripts };
      const change = { rateDefaults: { ...noRateLimits, ...one }, rateTokens: 1 };
      const byDefault = await bench.openAccount(1_000_000n);
      expect((await begin(byDefault, change)).reason).toBe('ok');
      expect((await begin(byDefault, change)).result).toMatchObject({ ...limited, scope: 'key', limit: 1 });
      for (const scope of ['key', 'account'] as const) {
        const account = await bench.openAccount(1_000_000n, { [scope]: { ...noKeyLimits[scope], ...one } });
        expect((await begin(account, { rateTokens: 1 })).reason).toBe('ok');
        expect((await begin(account, { rateTokens: 1 })).result).toMatchObject({ ...limited, scope, limit: 1 });
      }
    },
  );

  test('that an earlier version did not count has nothing used, and one of a later version is ignored', async () => {
    await setClock(lateNovemberMs);
    const change = { rateDefaults: perRateLimit(() => 2), rateTokens: 1 };
    for (let kept = 1; kept <= rateWindows.length + 1; kept += 1) {
      const account = await bench.openAccount(1_000_000n);
      const used = Buffer.alloc(8 * kept);
      // All of it: restored a whole window from now.
      const sinceMs = lateNovemberMs - Date.UTC(2026, 0, 1);
      for (let place = 0; place < kept; place += 1) {
        used.writeDoubleLE(sinceMs + (rateWindows[place]?.window.ms ?? 1e9), 8 * place);
      }
      await bench.redis.hset(walletKeyOf(account), `rate:${account.accountId}`, used);
      const left = recordOf([...rateWindows.entries()], ([place, { inScripts }]) => [
        inScripts,
        { limit: 2, remaining: place < kept ? 0 : 2 },
      ]);
      expect((await begin(account, change)).result).toMatchObject({ reason: 'limited', rates: left });
    }
  });
});
