/** Limits hold beside leases, also where requests use more than was counted, and where a proxy was silent during a recall. */
import { afterAll, describe, expect, test } from 'bun:test';
import { perRateLimit } from '../../../shared/limits/rate-limits.ts';
import { nanoUsd } from '../../../shared/money.ts';
import { type DrawRequest, exactMs, type LeaseParts, leaseSpanMs } from '../../../shared/wallet/lease.ts';
import { noRateLimits, reserveRequestOf, type TestAccount } from '../../harness/wallet/wallet-bench.ts';
import { lateNovemberMs, startClockedBench } from './clocked-bench.ts';

const { bench, wallet, setClock, begin } = await startClockedBench();
afterAll(() => bench.stop());

const nothing: LeaseParts = { amountNano: nanoUsd(0n), requests: 0, tokens: 0, streams: 0 };
const unlimited = perRateLimit(() => 0);

class OneLease {
  readonly #leaseId = Bun.randomUUIDv7();
  readonly account: TestAccount;
  #number = 0;

  constructor(account: TestAccount) {
    this.account = account;
  }

  request(change: Partial<DrawRequest>): DrawRequest {
    this.#number += 1;
    const { shard, accountId, keyHash, identity } = this.account;
    return {
      ...{ leaseId: this.#leaseId, number: this.#number, shard, accountId, keyHash, keyId: accountId, identity },
      ...{ rateDefaults: noRateLimits, begun: 0, usedTokens: 0, keep: nothing, want: nothing, next: 'open' },
      ...{ promoted: [], charges: [], isPacked: true, ...change },
    } as DrawRequest;
  }

  draw(change: Partial<DrawRequest> = {}) {
    return wallet.draw(this.request(change));
  }
}

const chargeOf = (tokens: number) => ({
  requestId: Bun.randomUUIDv7(),
  costNano: nanoUsd(1n),
  tokens,
  detail: '[]',
});

describe('a limit of tokens', () => {
  test('stays used up where requests of a lease use many times what was counted for them', async () => {
    await setClock(lateNovemberMs);
    const limit = 1_000_000;
    const key = { ...unlimited, tokensPerMinute: limit };
    const account = await bench.openAccount(1_000_000_000n, { key, account: unlimited });
    const lease = new OneLease(account);
    const want = { ...nothing, amountNano: nanoUsd(1_000_000n), tokens: 15_000 };
    let left = limit;
    for (let drawn = 0; drawn < 40; drawn += 1) {
      const result = await lease.draw({ want, begun: 100, charges: [chargeOf(150_000)] });
      if (result.status !== 'open') throw new Error(`the lease is ${result.status}`);
      const now = result.rates.tokens?.remaining ?? limit;
      expect(now).toBeLessThanOrEqual(left);
      left = now;
    }
    expect(left).toBe(0);
    expect((await begin(account, { rateTokens: 1 })).reason).toBe('limited');
    // It comes back evenly, within its window.
    await setClock(lateNovemberMs + 60_000);
    expect((await begin(account, { rateTokens: 1_000 })).reason).toBe('ok');
  });
});

test('price quotes take no request that a lease has', async () => {
  await setClock(lateNovemberMs);
  const limit = 640;
  const account = await bench.openAccount(1_000_000_000n, {
    key: { ...unlimited, requestsPerMinute: limit },
    account: unlimited,
  });
  const lease = new OneLease(account);
  const opened = await lease.draw({ want: { ...nothing, amountNano: nanoUsd(1_000n), requests: 10 } });
  const leased = 'requests' in opened ? (opened.requests ?? 0) : 0;
  expect(leased).toBe(10);
  let passed = 0;
  const { requestId: _id, once: _once, detail: _detail, ...asked } = reserveRequestOf(account);
  for (let count = 0; count < limit + 5; count += 1) if ((await wallet.peek(asked)).ok) passed += 1;
  expect(passed + leased).toBe(limit);
});

test('a lease is given back by a proxy that was silent while it was recalled', async () => {
  await setClock(lateNovemberMs);
  const key = { ...unlimited, requestsPerMinute: 6_400 };
  const account = await bench.openAccount(1_000_000_000n, { key, account: unlimited });
  const lease = new OneLease(account);
  const want = { ...nothing, amountNano: nanoUsd(1_000n), requests: 100 };
  expect(await lease.draw({ want })).toMatchObject({ status: 'open', requests: 100 });
  await setClock(lateNovemberMs + leaseSpanMs + 1_000);
  await wallet.recall(account.shard, account.accountId);
  await setClock(lateNovemberMs + leaseSpanMs + 2_000 + exactMs);
  const keep = { ...nothing, amountNano: nanoUsd(7n), requests: 1 };
  expect(await lease.draw({ want, keep })).toMatchObject({
    status: 'closed',
    reason: 'RECALLED',
    ...{ amountNano: nanoUsd(7n), requests: 1 },
  });
  expect(await lease.draw({ want })).toMatchObject({ status: 'open', requests: 100 });
});

test('a draw that is repeated names an entry of the stream that has its charges', async () => {
  await setClock(lateNovemberMs);
  const lease = new OneLease(await bench.openAccount(1_000_000_000n));
  const request = lease.request({ want: { ...nothing, amountNano: nanoUsd(1_000n) } });
  await wallet.draw(request);
  const charging = lease.request({ want: request.want, charges: [chargeOf(1)] });
  const { streamId } = await wallet.draw(charging);
  expect(streamId).not.toBe('');
  expect((await wallet.draw(charging)).streamId).toBe(streamId);
});
