/**
 * Reconciles, and repairs the wallets and requests that two runs in a row find wrong in the same way. What the second run
 * does not confirm, or finds changed, is left alone.
 */
import type { Actor } from '../../../audit/record-action.ts';
import { inBoth } from '../checks/find-request-faults.ts';
import { type ReconcileOptions, reconcile } from '../reconcile.ts';
import { driftKinds, type Reconciliation, type ViolationKind } from '../reconciliation.ts';
import type { Repair, RepairOutcome } from './repair-outcome.ts';
import { type RequestRepairServices, repairRequests } from './repair-requests.ts';
import { repairWallet } from './repair-wallet.ts';

export interface RepairedReconciliation extends RepairOutcome {
  /** As it is after the repairs. */
  readonly reconciliation: Reconciliation;
}

export async function repairDrift(
  options: ReconcileOptions & RequestRepairServices,
  order: { readonly reason: string; readonly actor: Actor },
): Promise<RepairedReconciliation> {
  const first = await reconcile(options);
  const suspects = wrongWallets(first);
  if (suspects.size === 0 && first.requestFaults.length === 0) {
    return { reconciliation: first, repairs: [], repairedRequests: [] };
  }
  const second = await reconcile(options);
  const repairedRequests = inBoth(first.requestFaults, second.requestFaults);
  await repairRequests(options, repairedRequests, order);
  const stillWrong = wrongWallets(second);
  const repairs: Repair[] = [];
  for (const [accountId, finding] of suspects) {
    if (stillWrong.get(accountId) !== finding) continue;
    const repair = await repairWallet(options, { accountId, ...order });
    if (repair !== undefined) repairs.push(repair);
  }
  return { reconciliation: await reconcile(options), repairs, repairedRequests };
}

/** Violations that a wallet set to what the ledger says no longer has. */
const mendedByRepair: ReadonlySet<ViolationKind> = new Set(['credit_missing', 'orphan_left']);

/** By account, what is wrong with its wallet, as a text that can be compared. */
function wrongWallets({ drifting, violations }: Reconciliation): Map<number, string> {
  const findings = new Map<number, string>();
  for (const { accountId, drift } of drifting) {
    findings.set(accountId, driftKinds.map((kind) => drift[kind]).join(' '));
  }
  for (const { kind, accountId, amountNano } of violations) {
    const isMended = mendedByRepair.has(kind) && accountId !== null && !findings.has(accountId);
    if (isMended) findings.set(accountId, `${kind} ${amountNano}`);
  }
  return findings;
}
