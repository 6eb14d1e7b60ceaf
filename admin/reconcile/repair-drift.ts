/**
 * Reconciles, and repairs the wallets that two runs in a row find wrong in the same way. What the second run does not
 * confirm, or finds changed, is left alone.
 */

import type { Actor } from '../audit/record-action.ts';
import { type ReconcileOptions, reconcile } from './reconcile.ts';
import { driftKinds, type Reconciliation } from './reconciliation.ts';
import { type Repair, repairWallet } from './repair-wallet.ts';

export interface RepairedReconciliation {
  /** As it is after the repairs. */
  readonly reconciliation: Reconciliation;
  readonly repairs: readonly Repair[];
}

export async function repairDrift(
  options: ReconcileOptions,
  order: { readonly reason: string; readonly actor: Actor },
): Promise<RepairedReconciliation> {
  const first = await reconcile(options);
  const suspects = wrongWallets(first);
  if (suspects.size === 0) return { reconciliation: first, repairs: [] };
  const second = wrongWallets(await reconcile(options));
  const repairs: Repair[] = [];
  for (const [accountId, finding] of suspects) {
    if (second.get(accountId) !== finding) continue;
    const repair = await repairWallet(options, { accountId, ...order });
    if (repair !== undefined) repairs.push(repair);
  }
  return { reconciliation: await reconcile(options), repairs };
}

/** By account, what is wrong with its wallet, as a text that can be compared. */
function wrongWallets({ drifting, violations }: Reconciliation): Map<number, string> {
  const findings = new Map<number, string>();
  for (const { accountId, drift } of drifting) {
    findings.set(accountId, driftKinds.map((kind) => drift[kind]).join(' '));
  }
  for (const { kind, accountId, amountNano } of violations) {
    const lost = kind === 'credit_missing' && accountId !== null && !findings.has(accountId);
    if (lost) findings.set(accountId, `${kind} ${amountNano}`);
  }
  return findings;
}
