/** Charges of a batch's log wait for Redis only as long as this proxy runs the batch. */
import { expect, test } from 'bun:test';
import { ResultSettler } from '../../../proxy/batches/settle-results.ts';
import { NotKept } from '../../../proxy/request/response/deferred.ts';
import type { ProxyServices } from '../../../proxy/request/services.ts';
import { packDecision } from '../../../proxy/request/settlement/decision.ts';
import { nanoUsd } from '../../../shared/money.ts';
import { shardOfAccount } from '../../../shared/wallet/shard.ts';
import { replayBufferOf } from '../../harness/wallet/replay-buffer.ts';
import { ScriptedWallet } from '../request/settlement/scripted-wallet.ts';

const shard = shardOfAccount(7);

async function settlerOf(wallet: ScriptedWallet) {
  const replayBuffer = replayBufferOf(wallet);
  let isLeft = false;
  const services = { wallet, settlement: { replayBuffer } } as unknown as ProxyServices;
  const settler = new ResultSettler(services, { shard, isLeft: () => isLeft });
  const held = { requestId: 'r', shard, accountId: 7, keyId: 3, assignment: '', epoch: '1', once: undefined };
  await settler.add(packDecision({ kind: 'settle', held, costNano: nanoUsd(1n), detail: '{}', tokens: 5 }));
  return {
    settler,
    leave: () => {
      isLeft = true;
    },
  };
}

test('another proxy makes the charges that Redis has not confirmed when the batch is left', async () => {
  const wallet = new ScriptedWallet();
  const asked = Promise.withResolvers<void>();
  let calls = 0;
  wallet.respond = async () => {
    calls += 1;
    if (calls === 2) asked.resolve();
    throw new Error('down');
  };
  const { settler, leave } = await settlerOf(wallet);
  const ended = settler.confirmed().then(
    () => 'confirmed',
    (error: unknown) => error,
  );
  await asked.promise;
  leave();
  expect(await ended).toBeInstanceOf(NotKept);
});

test('charges are confirmed once Redis is back', async () => {
  const wallet = new ScriptedWallet();
  let calls = 0;
  wallet.respond = async () => {
    calls += 1;
    if (calls < 3) throw new Error('down');
    return wallet.nextId();
  };
  const { settler } = await settlerOf(wallet);
  await settler.confirmed();
  expect(wallet.takeSent()).toEqual(['r', 'r', 'r']);
});

test('a log of any length leaves room in the replay buffer while Postgres is away', async () => {
  const wallet = new ScriptedWallet();
  const replayBuffer = replayBufferOf(wallet);
  const services = { wallet, settlement: { replayBuffer } } as unknown as ProxyServices;
  const charges = 100_000;
  const settler = new ResultSettler(services, { shard, isLeft: () => false });
  for (let line = 1; line <= charges; line += 1) {
    const held = {
      requestId: String(line),
      shard,
      accountId: 7,
      keyId: 3,
      assignment: '',
      epoch: '1',
      once: undefined,
    };
    await settler.add(packDecision({ kind: 'settle', held, costNano: nanoUsd(1n), detail: '{}', tokens: 5 }));
  }
  await settler.confirmed();
  expect(new Set(wallet.takeSent()).size).toBe(charges);
  expect([replayBuffer.full, replayBuffer.halfFull]).toEqual([false, true]);
});
