/**
 * Corrects the state of requests in Redis: the hold of a request that the ledger has charged is released, an estimate
 * is set to the ledger's, and progress beyond its hold is lowered to it. Each repair is recorded. The ledger itself is
 * never changed.
 */
import { formatUsd, nanoUsd } from '../../../../shared/money.ts';
import { shardOfAccount } from '../../../../shared/wallet/shard.ts';
import type { WalletKeeper } from '../../../../shared/wallet/wallet-keeper.ts';
import { type Actor, recordActionIn } from '../../../operations/audit/record-action.ts';
import type { ReconcileServices } from '../checks/take-readings.ts';
import type { RequestFault } from '../reconciliation.ts';

export interface RequestRepairServices extends ReconcileServices {
  readonly keeper: WalletKeeper;
}

/** Safe to repeat: what has already been corrected stays as it is. */
export async function repairRequests(
  { sql, auditor, keeper }: RequestRepairServices,
  faults: readonly RequestFault[],
  { reason, actor }: { readonly reason: string; readonly actor: Actor },
): Promise<void> {
  for (const fault of faults) {
    const { kind, requestId, accountId, amountNano, booked } = fault;
    const shard = shardOfAccount(accountId);
    await sql.begin(async (transaction) => {
      await recordActionIn(transaction, actor, {
        action: 'request.repair',
        subject: `request ${requestId}`,
        accountId,
        reason,
        before: { fault: kind, by: formatUsd(nanoUsd(amountNano)) },
      });
      if (booked === undefined) await auditor.capProgress(shard, [requestId]);
      else await keeper.restoreOutcomes(shard, new Map([[requestId, booked]]));
    });
  }
}
