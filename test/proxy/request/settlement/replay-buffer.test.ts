/**
 * What the second holder of every charge keeps, for how long, and what it sends again when another Redis takes over.
 */
import { beforeEach, describe, expect, test } from 'bun:test';
import type { Decision } from '../../../../proxy/request/settlement/decision.ts';
import type { ReplayBuffer } from '../../../../proxy/request/settlement/replay-buffer.ts';
import { nanoUsd } from '../../../../shared/money.ts';
import { allShards, shardOfAccount } from '../../../../shared/wallet/shard.ts';
import type { HeldRequest } from '../../../../shared/wallet/wallet.ts';
import { replayBufferOf } from '../../../harness/wallet/replay-buffer.ts';
import { ScriptedWallet } from './scripted-wallet.ts';

const everyShard = new Set(allShards);

const startMs = 1_800_000_000_000;
const down = async () => {
  throw new Error('down');
};
const nothingBooked = '0-1';
const shard = shardOfAccount(7);
let wallet: ScriptedWallet;
let buffer: ReplayBuffer;
/** Redis has lost everything, and nobody has noticed. */
let isLost: boolean;

beforeEach(() => {
  wallet = new ScriptedWallet();
  isLost = false;
  buffer = replayBufferOf(wallet, { isUnchanged: async () => !isLost });
});

function settleOf(requestId: string, accountId = 7): Decision {
  const held = {
    requestId,
    shard: shardOfAccount(accountId),
    accountId,
    keyId: 3,
    assignment: '',
    epoch: '1',
    once: undefined,
  };
  return { kind: 'settle', held, costNano: nanoUsd(1n), detail: '{}', tokens: 5 };
}

async function submitMany(count: number, prefix = 'r'): Promise<string[]> {
  const ids = Array.from({ length: count }, (_, index) => `${prefix}${index}`);
  for (const id of ids) await buffer.submit(settleOf(id));
  expect(wallet.takeSent()).toEqual(ids);
  return ids;
}

/** How many decisions are kept once it is known that the shard's stream begins here; without an entry it is empty. */
async function keptWhenStreamBegins(firstUnbooked?: string): Promise<number> {
  if (firstUnbooked === undefined) wallet.firstUnbooked.delete(shard);
  else wallet.firstUnbooked.set(shard, firstUnbooked);
  await buffer.confirm(startMs);
  return buffer.size;
}

describe('a decision that Redis has not confirmed', () => {
  test('is sent again until it is confirmed, and is kept until it is in Postgres', async () => {
    wallet.respond = down;
    await buffer.submit(settleOf('lost'));
    await buffer.resend();
    wallet.respond = async () => wallet.nextId();
    await buffer.resend();
    await buffer.resend();
    expect(wallet.takeSent()).toEqual(['lost', 'lost', 'lost']);
    expect(buffer.size).toBe(1);
  });

  test('is not sent a second time while the first call is in flight', async () => {
    const reply = Promise.withResolvers<string>();
    wallet.respond = () => reply.promise;
    const submitted = buffer.submit(settleOf('slow'));
    await buffer.resend();
    await buffer.replay(everyShard);
    expect(wallet.takeSent()).toEqual(['slow']);
    expect(buffer.size).toBe(1);
    // The previous Redis may have confirmed it.
    reply.resolve('1-1');
    await submitted;
    await buffer.confirm(startMs);
    expect(buffer.size).toBe(1);
    await buffer.resend();
    expect(wallet.takeSent()).toEqual(['slow']);
    await buffer.confirm(startMs);
    expect(buffer.size).toBe(0);
  });

  test('does not delay the others if only some get through', async () => {
    wallet.respond = down;
    await Promise.all(Array.from({ length: 200 }, (_, index) => buffer.submit(settleOf(`${index}`))));
    // The oldest 64 belong to a master that stays away.
    wallet.respond = async (id) => (Number(id) < 64 ? down() : wallet.nextId());
    wallet.takeSent();
    await buffer.resend();
    await buffer.resend();
    expect(new Set(wallet.takeSent()).size).toBe(200);
    expect(await buffer.flush(100)).toBe(false);
    wallet.respond = async () => wallet.nextId();
    expect(await buffer.flush(1_000)).toBe(true);
  });

  test('is never dropped, and 100,000 of them fill the buffer', async () => {
    wallet.respond = down;
    for (let index = 0; index < 100_000; index += 1) void buffer.submit(settleOf(`${index}`));
    expect(buffer.full).toBe(true);
    await Bun.sleep(0);
    await buffer.confirm(startMs + 3_600_000);
    expect([buffer.size, buffer.full]).toEqual([100_000, true]);
    wallet.respond = async () => wallet.nextId();
    wallet.takeSent();
    expect(await buffer.flush(10_000)).toBe(true);
    expect(new Set(wallet.takeSent()).size).toBe(100_000);
  });
});

test('what may be missing is sent to a new Redis before what it may have', async () => {
  wallet.respond = async (id) => (id.startsWith('unknown') ? down() : wallet.nextId());
  await submitMany(100, 'booked');
  await keptWhenStreamBegins();
  await buffer.submit(settleOf('unknown'));
  wallet.takeSent();
  await submitMany(100, 'streamed');
  wallet.respond = async () => wallet.nextId();
  await buffer.replay(everyShard);
  expect(wallet.takeSent().map((id) => id.replace(/\d+$/, ''))).toEqual([
    'unknown',
    ...Array.from({ length: 100 }, () => 'streamed'),
    ...Array.from({ length: 100 }, () => 'booked'),
  ]);
});

test('a master that stays away does not hold up what another one may have lost', async () => {
  const other = accountOfOtherShard();
  wallet.respond = async (id) => (id === 'away' ? down() : wallet.nextId());
  await submitMany(3);
  await buffer.submit(settleOf('away', other));
  wallet.takeSent();
  await buffer.replay(new Set([shard]));
  expect(wallet.takeSent()).toEqual(['away', 'r0', 'r1', 'r2']);
});

function accountOfOtherShard(): number {
  let account = 8;
  while (shardOfAccount(account) === shard) account += 1;
  return account;
}

describe('a decision that Redis has', () => {
  test('stays until its entry has left the stream', async () => {
    const ids = await submitMany(3);
    expect(await keptWhenStreamBegins('1800000000000-1')).toBe(3);
    expect(await keptWhenStreamBegins()).toBe(0);
    await buffer.replay(everyShard);
    expect(wallet.takeSent()).toEqual(ids);
  });

  test('is recognised as booked as far as the stream has moved, compared as numbers and not as letters', async () => {
    await submitMany(64);
    await submitMany(64, 's');
    expect(await keptWhenStreamBegins('1800000000000-65')).toBe(64);
    expect(await keptWhenStreamBegins('1800000000000-1000')).toBe(0);
  });

  test('waits for the highest of its entries, even if a repeated call returned a higher one before', async () => {
    const ids = ['1800000000009-0', '1800000000002-5'];
    wallet.respond = async () => ids.shift() ?? '';
    await submitMany(2);
    expect(await keptWhenStreamBegins('1800000000005-0')).toBe(2);
    expect(await keptWhenStreamBegins('1800000000009-1')).toBe(0);
  });

  test.each([
    ['a reply to an earlier query', () => submitMany(100, 'later'), 100],
    ['a reply from the previous Redis', () => buffer.replay(everyShard), 1],
  ])('is not taken for booked because of %s', async (_, meanwhile, kept) => {
    const reply = Promise.withResolvers<undefined>();
    wallet.readFirstUnbooked = () => reply.promise;
    await submitMany(1);
    const confirmed = buffer.confirm(startMs);
    await meanwhile();
    reply.resolve(undefined);
    await confirmed;
    expect(buffer.size).toBe(kept);
  });

  test('is queried by shard, and only where decisions are waiting', async () => {
    for (const accountId of [1, 2, 65]) await buffer.submit(settleOf(`of ${accountId}`, accountId));
    wallet.firstUnbooked.set(shardOfAccount(1), nothingBooked);
    await buffer.confirm(startMs);
    expect([wallet.queries, buffer.size]).toEqual([2, 2]);
    await buffer.confirm(startMs);
    expect(wallet.queries).toBe(3);
  });

  test('needs no entry if it only released a hold', async () => {
    await buffer.submit({ kind: 'release', held: { requestId: 'released', shard } });
    expect(await keptWhenStreamBegins(nothingBooked)).toBe(0);
  });
});

describe('when another Redis takes over', () => {
  test('everything of the last two minutes is sent again, and nothing older', async () => {
    await submitMany(2, 'old');
    await buffer.confirm(startMs);
    const recent = await submitMany(70, 'recent');
    await buffer.confirm(startMs + 60_000);
    await buffer.confirm(startMs + 120_000);
    wallet.firstUnbooked.set(shard, nothingBooked);
    const streamed = await submitMany(3, 'streamed');
    await buffer.replay(everyShard);
    expect(wallet.takeSent()).toEqual([...streamed, ...recent]);
    expect(buffer.size).toBe(73);
    // It is booked again, and kept for as long.
    wallet.firstUnbooked.delete(shard);
    await buffer.confirm(startMs + 130_000);
    await buffer.confirm(startMs + 249_999);
    await buffer.replay(everyShard);
    expect(wallet.takeSent()).toHaveLength(73);
  });

  test('at most the newest 50,000 booked decisions are sent again', async () => {
    for (let index = 0; index < 50_200; index += 1) await buffer.submit(settleOf(`${index}`));
    await buffer.confirm(startMs);
    wallet.takeSent();
    await buffer.replay(everyShard);
    const sent = wallet.takeSent();
    expect(sent.length).toBeLessThanOrEqual(50_000);
    expect(sent.length).toBeGreaterThan(49_900);
    expect(sent.at(-1)).toBe('50199');
  });

  test('unbooked decisions are all sent again, even if an emptied stream was read before anyone noticed', async () => {
    const unbooked = 50_200;
    wallet.firstUnbooked.set(shard, nothingBooked);
    for (let index = 0; index < unbooked; index += 1) await buffer.submit(settleOf(`${index}`));
    await buffer.confirm(startMs);
    isLost = true;
    expect(await keptWhenStreamBegins()).toBe(unbooked);
    wallet.takeSent();
    await buffer.replay(everyShard);
    expect(wallet.takeSent()).toHaveLength(unbooked);
  });

  test('only the shards that were lost get their decisions again', async () => {
    const [mine, others] = [7, 8].map((accountId) => shardOfAccount(accountId));
    expect(mine).not.toBe(others);
    for (const accountId of [7, 8, 7]) await buffer.submit(settleOf(`of ${accountId}`, accountId));
    await buffer.confirm(startMs);
    for (const accountId of [8, 7]) await buffer.submit(settleOf(`later of ${accountId}`, accountId));
    wallet.takeSent();
    await buffer.replay(new Set(mine === undefined ? [] : [mine]));
    expect(wallet.takeSent().toSorted()).toEqual(['later of 7', 'of 7', 'of 7']);
    expect(buffer.waiting).toBe(0);
    await buffer.replay(everyShard);
    expect(wallet.takeSent()).toHaveLength(5);
  });

  test('a replay that does not get through continues later, and counts as not booked', async () => {
    const ids = await submitMany(130);
    await buffer.confirm(startMs);
    wallet.respond = down;
    await buffer.replay(everyShard);
    expect(buffer.size).toBe(130);
    await buffer.confirm(startMs + 3_600_000);
    expect(buffer.size).toBe(130);
    wallet.respond = async () => wallet.nextId();
    wallet.takeSent();
    await buffer.resend();
    expect(wallet.takeSent().toSorted()).toEqual(ids.toSorted());
  });

  test('a decision is sent unchanged, except for the stored response, which the first Redis got', async () => {
    const held: HeldRequest = {
      requestId: Bun.randomUUIDv7(),
      shard,
      accountId: 7,
      keyId: 3,
      assignment: '5:1:2',
      epoch: '12',
      once: { idempotencyKeyDigest: 'a digest', bodyDigest: 'another' },
    };
    const detail = JSON.stringify({ model: 'моде\nль "x"', promptTokens: 3 });
    const settle = { kind: 'settle', held, costNano: nanoUsd(9_000_000_000_000_001n), detail, tokens: 12 } as const;
    const plain = settleOf('plain');
    const release = { kind: 'release', held: { requestId: 'released', shard } } as const;
    for (const decision of [{ ...settle, response: 'the answer' }, plain, release]) await buffer.submit(decision);
    expect(wallet.sent.splice(0)[0]).toEqual({ ...settle, response: 'the answer' });
    await buffer.replay(everyShard);
    expect(wallet.sent).toEqual([settle, plain, release]);
  });

  test("a charge that the first Redis cut to the wallet's balance is never more than that", async () => {
    wallet.chargedNano = nanoUsd(140n);
    await buffer.submit({ ...settleOf('cut'), kind: 'settle', costNano: nanoUsd(150n) } as Decision);
    await buffer.replay(everyShard);
    const amounts = wallet.sent.map((decision) => decision.kind === 'settle' && decision);
    expect(amounts).toMatchObject([
      { costNano: 150n, chargedNano: undefined },
      { costNano: 150n, chargedNano: 140n },
    ]);
  });

  test('a response that no Redis has confirmed is sent again with its charge', async () => {
    wallet.respond = down;
    await buffer.submit({ ...settleOf('answered'), kind: 'settle', response: 'the answer' } as Decision);
    await buffer.replay(everyShard);
    expect(wallet.sent.map((decision) => decision.kind === 'settle' && decision.response)).toEqual(
      Array(2).fill('the answer'),
    );
  });
});

test('booked decisions are looked up only for the given shards', async () => {
  await submitMany(2);
  await buffer.confirm(startMs, [shardOfAccount(8)]);
  expect([wallet.queries, buffer.size]).toEqual([0, 2]);
  await buffer.confirm(startMs, [shard]);
  expect([wallet.queries, buffer.size]).toEqual([1, 0]);
});
