/** When a key gets a lease, what begins from it, and when it is returned: with a scripted Redis and a clock. */
import { beforeEach, describe, expect, test } from 'bun:test';
import { type LeasedRequest, undrawnMaxNano } from '../../../../proxy/request/leases/lease.ts';
import { LeaseBook } from '../../../../proxy/request/leases/lease-book.ts';
import type { Settle } from '../../../../proxy/request/settlement/decision.ts';
import { nanoUsd } from '../../../../shared/money.ts';
import { type DrawRequest, type DrawResult, holdMs, type LeaseCharges } from '../../../../shared/wallet/lease.ts';
import { allShards, shardOfAccount } from '../../../../shared/wallet/shard.ts';
import { noRateLimits } from '../../../harness/wallet/wallet-bench.ts';

const everyShard = new Set(allShards);

const key = { shard: shardOfAccount(1), keyHash: 'hash', accountId: 1, keyId: 2, rateDefaults: noRateLimits };

let nowMs: number;
/** Draws, and charges alone. */
let draws: (LeaseCharges & Partial<DrawRequest>)[];
let dues: number;
let book: LeaseBook;
/** The charges that Redis has, and those of leases that are over. */
let drawn: string[];
let undrawn: string[];
/** What the wallet and the limits can give, or that Redis does not reply. */
let room: { amountNano: bigint; requests?: number } | 'no reply' | 'recalled' | 'lost';
/** Requests whose lease is over. */
let uncovered: string[];

beforeEach(() => {
  nowMs = 1_000_000;
  draws = [];
  dues = 0;
  drawn = [];
  undrawn = [];
  uncovered = [];
  room = { amountNano: 10_000_000_000n };
  const ids = ['lease-1', 'lease-2'].values();
  const idsOf = (charges: readonly Settle[]) => charges.map(({ held }) => held.requestId);
  book = new LeaseBook(
    {
      draw: respond,
      charge: respondToCharges,
      drawn: (charges) => drawn.push(...idsOf(charges)),
      undrawn: (charges) => undrawn.push(...idsOf(charges)),
      newId: () => ids.next().value ?? '',
      onDue: () => {
        dues += 1;
      },
      onError: () => {},
    },
    () => nowMs,
  );
  book.allow(true);
});

async function respond(request: DrawRequest): Promise<DrawResult> {
  draws.push(request);
  if (room === 'no reply') throw new Error('no reply');
  if (request.next === 'ended' || (room === 'recalled' && request.number === 1))
    return { status: 'ended', streamId: '' };
  if (room === 'lost') return { status: 'lost', streamId: '' };
  const given = { epoch: '7', streamId: '1-1', requests: undefined, tokens: undefined, streams: undefined };
  if (room === 'recalled' || request.next === 'closed') {
    return { ...given, ...request.keep, requests: undefined, status: 'closed', reason: 'RECALLED' };
  }
  const amountNano = nanoUsd(
    [request.want.amountNano, room.amountNano].reduce((one, other) => (one < other ? one : other)),
  );
  leftNano = amountNano;
  const requests = room.requests === undefined ? undefined : Math.min(room.requests, request.want.requests);
  const rates = { requests: { limit: 60, remaining: 40, resetMs: 20_000 }, tokens: undefined };
  const key = { models: undefined, rulesMark: '', expiresInMs: undefined, dimensions: undefined };
  return { ...given, ...key, amountNano, requests, status: 'open', rates };
}

/** What the lease has, as Redis knows. */
let leftNano = 0n;

async function respondToCharges(request: LeaseCharges) {
  draws.push(request);
  if (room === 'no reply') throw new Error('no reply');
  leftNano -= request.charges.reduce((sum, { costNano }) => sum + costNano, 0n);
  return { amountNano: nanoUsd(leftNano), streamId: '1-1' };
}

let count = 0;
/** A request that asks for so much: the lease that it has begun from, or undefined. */
function begin(heldNano = 1_000_000n) {
  count += 1;
  const requestId = `request-${count}`;
  const lease = book.find('hash', { heldNano: nanoUsd(heldNano), tokens: 0, models: ['model'] }, 'redis-1');
  if (lease === undefined) return undefined;
  const request: LeasedRequest = {
    requestId,
    heldNano: nanoUsd(heldNano),
    tokens: 0,
    promotion: () => ({
      ...{ requestId, amountNano: nanoUsd(heldNano), outputCap: 1, tokens: 0, progressNano: nanoUsd(0n), detail: '' },
    }),
    promoted: () => {},
    uncovered: () => uncovered.push(requestId),
  };
  lease.enter(request);
  const end = (costNano: bigint) => {
    const held = { requestId, shard: key.shard, accountId: 1, keyId: 2, epoch: '7' };
    return lease.leave(request, {
      kind: 'settle',
      held,
      costNano: nanoUsd(costNano),
      detail: '',
      tokens: 0,
      response: undefined,
    });
  };
  return { lease, requestId, end };
}

/** A key in quick succession, with its lease. */
async function withLease(heldNano?: bigint) {
  book.learn(key);
  expect(begin(heldNano)).toBeUndefined();
  await book.flush();
  const request = begin(heldNano);
  if (request === undefined) throw new Error('no lease');
  return request;
}

describe('a key', () => {
  test('gets a lease with its second request within a second', async () => {
    expect(begin()).toBeUndefined();
    book.learn(key);
    nowMs += 1_001;
    expect(begin()).toBeUndefined();
    expect(book.size).toBe(0);
    nowMs += 999;
    expect(begin()).toBeUndefined();
    await book.flush();
    expect(draws).toMatchObject([{ leaseId: 'lease-1', number: 1, next: 'open', identity: 'redis-1' }]);
    expect(begin()).toBeDefined();
  });

  test('gets none before admin reads what it writes, nor without a known Redis', async () => {
    book.learn(key);
    book.allow(false);
    expect(begin()).toBeUndefined();
    book.allow(true);
    expect(book.find('hash', { heldNano: nanoUsd(1n), tokens: 0, models: ['model'] }, undefined)).toBeUndefined();
    expect(book.flush()).toBeUndefined();
  });

  test('rests for two seconds when a lease was refused to it', async () => {
    room = 'recalled';
    book.learn(key);
    begin();
    await book.flush();
    expect(book.size).toBe(0);
    for (const restMs of [500, 500, 500]) {
      nowMs += restMs;
      expect(begin()).toBeUndefined();
      expect(book.flush()).toBeUndefined();
    }
    nowMs += 501;
    begin();
    await book.flush();
    expect(draws.map(({ leaseId }) => leaseId)).toEqual(['lease-1', 'lease-2']);
  });
});

describe('a request begins from a lease', () => {
  test('for one and a half seconds after the draw was sent that Redis confirmed last', async () => {
    const { lease } = await withLease();
    nowMs += 1_499;
    expect(begin()).toBeDefined();
    room = 'no reply';
    await book.tick();
    nowMs += 1;
    expect(begin()).toBeUndefined();
    // The draw is repeated with its number.
    room = { amountNano: 10_000_000_000n };
    await book.tick();
    expect(draws.slice(-2).map(({ number }) => number)).toEqual([2, 2]);
    expect(begin()?.lease).toBe(lease);
  });

  test('while it has room for all that the request can cost', async () => {
    room = { amountNano: 2_500_000n };
    await withLease();
    expect(begin()).toBeDefined();
    expect(begin()).toBeUndefined();
    expect(begin(500_000n)).toBeDefined();
    expect(begin(1n)).toBeUndefined();
  });

  test('while it has requests left of the limit, and says so', async () => {
    room = { amountNano: 10_000_000_000n, requests: 3 };
    const { lease } = await withLease();
    expect(lease.rates?.requests).toEqual({ limit: 60, remaining: 39, resetMs: 21_000 });
    expect([begin(), begin(), begin()].map((each) => each !== undefined)).toEqual([true, true, false]);
    expect(lease.rates?.requests).toEqual({ limit: 60, remaining: 37, resetMs: 23_000 });
  });

  test('unless too much has been spent that Redis has not been told', async () => {
    const { end } = await withLease(undrawnMaxNano);
    end(undrawnMaxNano - 1n);
    const next = begin();
    next?.end(1n);
    expect(begin()).toBeUndefined();
    expect(book.undrawnNano).toBe(undrawnMaxNano);
    await book.flush();
    expect(book.undrawnNano).toBe(nanoUsd(0n));
    expect(begin()).toBeDefined();
  });
});

describe('charges', () => {
  test('are drawn together, and known once Redis has replied', async () => {
    const first = await withLease();
    const second = begin();
    first.end(5n);
    second?.end(6n);
    expect(dues).toBeGreaterThan(0);
    await book.flush();
    expect(draws.at(-1)?.charges).toMatchObject([{ costNano: 5n }, { costNano: 6n }]);
    expect(drawn).toEqual([first.requestId, second?.requestId ?? '']);
  });

  test('whose draw had no reply are sent again by themselves when Redis was replaced', async () => {
    const { end, requestId } = await withLease();
    end(5n);
    room = 'no reply';
    await book.flush();
    await book.giveUp(everyShard);
    expect(undrawn).toEqual([requestId]);
    // What the new Redis may have of the lease is returned as soon as it replies.
    room = { amountNano: 1n };
    await book.tick();
    // A draw with the number 2 may have been applied.
    expect(draws.at(-1)).toMatchObject({ leaseId: 'lease-1', number: 3, next: 'ended', charges: [] });
    const asked = draws.length;
    await book.tick();
    expect(draws).toHaveLength(asked);
  });
});

describe('a lease that is lost, or given up', () => {
  test('leaves its running requests holds of their own, which are known with the reply to its last draw', async () => {
    const { requestId, end } = await withLease();
    room = 'lost';
    nowMs += 600;
    await book.tick();
    expect(uncovered).toEqual([]);
    // Until then it is unknown whether it has one, so its charge waits.
    expect(end(5n)).toBe(false);
    await book.flush();
    expect(draws.at(-1)).toMatchObject({ number: 3, next: 'ended', promoted: [{ requestId }] });
    expect(uncovered).toEqual([requestId]);
    expect(book.size).toBe(0);
  });

  test('has its charges sent one by one', async () => {
    const { requestId, end } = await withLease();
    end(5n);
    room = 'lost';
    nowMs += 600;
    await book.tick();
    expect(drawn).toEqual([]);
    expect(undrawn).toEqual([requestId]);
  });

  test('is asked for no longer than Redis can have it', async () => {
    const { requestId } = await withLease();
    room = 'no reply';
    await book.giveUp(everyShard);
    nowMs += holdMs;
    await book.tick();
    expect(uncovered).toEqual([]);
    const asked = draws.length;
    nowMs += 1;
    await book.tick();
    expect(draws).toHaveLength(asked);
    expect(uncovered).toEqual([requestId]);
  });
});

test('a charge above its hold takes nothing from what other requests of the lease have', async () => {
  const { end } = await withLease();
  const other = begin();
  // More than the whole lease has.
  end(50_000_000n);
  await book.flush();
  nowMs += 600;
  await book.tick();
  expect(draws.at(-1)?.keep?.amountNano).toBe(nanoUsd(1_000_000n));
  other?.end(5n);
  await book.flush();
  expect(drawn).toHaveLength(2);
});

describe('a lease is returned', () => {
  test('two seconds after the last request has begun from it, once none runs', async () => {
    const { end } = await withLease();
    for (let elapsedMs = 0; elapsedMs <= 4_000; elapsedMs += 500) {
      nowMs += 500;
      await book.tick();
    }
    expect(book.size).toBe(1);
    end(5n);
    await book.tick();
    expect(book.size).toBe(0);
    expect(draws.at(-1)).toMatchObject({ next: 'ended', charges: [{ costNano: 5n }] });
  });

  test('when it is too small for what is asked for', async () => {
    room = { amountNano: 10n };
    book.learn(key);
    for (let elapsedMs = 0; elapsedMs <= 2_500; elapsedMs += 250) {
      expect(begin()).toBeUndefined();
      nowMs += 250;
      await book.tick();
    }
    expect(draws.at(-1)?.next).toBe('ended');
  });

  test.each([
    ['account', undefined, 1],
    ['key', 2, 1],
    ['account of others', undefined, 9],
    ['key of others', 9, 1],
  ])('when its %s is recalled', async (_whose, keyId, accountId) => {
    const { end } = await withLease();
    await book.recall(accountId, keyId);
    const isIts = accountId === 1 && keyId !== 9;
    expect(begin() === undefined).toBe(isIts);
    end(5n);
    await book.flush();
    expect(book.size).toBe(isIts ? 0 : 1);
  });

  test('when it is recalled after its own draw has heard of that', async () => {
    const { end } = await withLease();
    room = 'recalled';
    nowMs += 600;
    await book.tick();
    expect(draws.at(-1)?.next).toBe('open');
    await book.recall(1);
    expect(draws.at(-1)?.next).toBe('closed');
    end(5n);
  });

  test('when leases are no longer allowed, and when the proxy ends', async () => {
    const { end } = await withLease();
    book.allow(false);
    expect(begin()).toBeUndefined();
    end(5n);
    await book.end(1_000);
    expect(drawn).toHaveLength(1);
    expect(book.size).toBe(0);
  });
});
