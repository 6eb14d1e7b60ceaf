/** The end of a phase: nothing is running, nothing is on its way, and the books can be checked. */
import type { Customer } from '../../harness/customers.ts';
import { expireDue } from '../../harness/wallet/shard-state.ts';
import { customersOf, shardsOf, type World } from '../world/world.ts';
import { findOpenPayments } from './payments.ts';

/** Moves every hold past its deadline, as ninety seconds would, and expires what is abandoned. */
export async function expireAll(world: World): Promise<void> {
  for (const shard of shardsOf(world)) {
    const holds = `{s${shard}}:holds`;
    for (const requestId of await world.redis.zrange(holds, '0', '-1')) {
      await world.redis.zadd(holds, 'XX', 1, String(requestId));
    }
    await expireDue(world.keeper, shard);
  }
}

/** What is still on its way, or does not agree; an empty list means rest. */
export async function findUnsettled(world: World): Promise<string[]> {
  const streams = await Promise.all(
    shardsOf(world).map(async (shard) => {
      const [holds, charges] = await Promise.all([
        world.redis.zcard(`{s${shard}}:holds`),
        world.redis.xlen(`{s${shard}}:usage`),
      ]);
      return holds + charges === 0 ? [] : [`shard ${shard}: ${holds} holds and ${charges} charges are left`];
    }),
  );
  const wallets = await Promise.all(customersOf(world).map((customer) => differenceOf(world, customer)));
  return [...streams.flat(), ...wallets.flat(), ...(await findOpenPayments(world))];
}

/** A lost wallet is restored on demand; charges made in the meantime wait for it as orphans. */
async function differenceOf(world: World, { accountId }: Customer): Promise<string[]> {
  const wallet = await world.keeper.readWallet(accountId);
  if (wallet === undefined) return [];
  const [account] = await world.database.sql<{ balance_nano: string }[]>`
    SELECT balance_nano FROM accounts WHERE id = ${accountId}`;
  const differenceNano = wallet.availableNano + wallet.heldNano - BigInt(account?.balance_nano ?? 0);
  return [
    ...(wallet.heldNano === 0n ? [] : [`account ${accountId}: ${wallet.heldNano} nano-dollars are held`]),
    ...(differenceNano === 0n ? [] : [`account ${accountId}: Redis has ${differenceNano} more than the ledger`]),
  ];
}
