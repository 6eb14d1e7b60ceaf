/**
 * Reconciles, and repairs the wallets and requests that two consecutive runs find wrong in the same way. Findings that
 * the second run does not confirm, or that have changed, are left alone.
 */

import { parseScope } from '../../../../shared/limits/budget-levels.ts';
import type { Actor } from '../../../operations/audit/record-action.ts';
import { inBoth } from '../checks/find-request-faults.ts';
import { type ReconcileOptions, reconcile } from '../reconcile.ts';
import { driftKinds, type Reconciliation, type ViolationKind } from '../reconciliation.ts';
import type { Repair, RepairOutcome } from './render-repairs.ts';
import { type RequestRepairServices, repairRequests } from './repair-requests.ts';
import { repairWallet } from './repair-wallet.ts';

export interface RepairedReconciliation extends RepairOutcome {
  /** The state after the repairs. */
  readonly reconciliation: Reconciliation;
}

export async function repairDrift(
  options: ReconcileOptions & RequestRepairServices,
  input: { readonly reason: string; readonly actor: Actor },
): Promise<RepairedReconciliation> {
  const first = await reconcile(options);
  const isRecounted = await recount(options, first);
  const suspects = wrongWallets(first);
  if (suspects.size === 0 && first.requestFaults.length === 0) {
    const reconciliation = isRecounted ? await reconcile(options) : first;
    return { reconciliation, repairs: [], repairedRequests: [] };
  }
  const second = await reconcile(options);
  const repairedRequests = inBoth(first.requestFaults, second.requestFaults);
  await repairRequests(options, repairedRequests, input);
  const remaining = wrongWallets(second);
  const repairs: Repair[] = [];
  for (const [accountId, finding] of suspects) {
    if (remaining.get(accountId) !== finding) continue;
    const repair = await repairWallet(options, { accountId, ...input });
    if (repair !== undefined) repairs.push(repair);
  }
  return { reconciliation: await reconcile(options), repairs, repairedRequests };
}

/** What is counted for budgets follows from the ledger: it is asked for again. Returns whether anything is. */
async function recount({ auditor }: ReconcileOptions, { violations }: Reconciliation): Promise<boolean> {
  const wrong = violations.flatMap(({ kind, subject, accountId }) => {
    if (kind !== 'budget_wrong' || accountId === null) return [];
    return parseScope(accountId, subject.replace('budget ', '')) ?? [];
  });
  for (const scope of wrong) await auditor.countAnew(scope);
  return wrong.length > 0;
}

/** Violations that disappear when a wallet is set to the ledger's state. */
const fixedByRepair: ReadonlySet<ViolationKind> = new Set(['credit_missing', 'orphan_left']);

/** The fault of each account's wallet, as a string for comparison. */
function wrongWallets({ drifting, violations }: Reconciliation): Map<number, string> {
  const findings = new Map<number, string>();
  for (const { accountId, drift } of drifting) {
    findings.set(accountId, driftKinds.map((kind) => drift[kind]).join(' '));
  }
  for (const { kind, accountId, amountNano } of violations) {
    const isMended = fixedByRepair.has(kind) && accountId !== null && !findings.has(accountId);
    if (isMended) findings.set(accountId, `${kind} ${amountNano}`);
  }
  return findings;
}
