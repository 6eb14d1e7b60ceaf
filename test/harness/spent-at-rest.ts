/** What an account has been charged, once nothing is held and the ledger has everything. */
import type { Harness } from '../harness.ts';
import { readLedger, waitFor } from './account-view.ts';

export async function spentAtRest(harness: Harness, accountId: number): Promise<bigint> {
  const state = await waitFor('the wallet at rest', 10_000, async () => {
    const wallet = await harness.keeper.readWallet(accountId);
    return wallet?.heldNano === 0n && wallet;
  });
  return waitFor('the ledger', 5_000, async () => {
    const { balanceNano, spentNano } = await readLedger(harness, accountId);
    return balanceNano === state.availableNano ? spentNano : undefined;
  });
}
