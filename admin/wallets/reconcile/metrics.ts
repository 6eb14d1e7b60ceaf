/** The last run as metrics. All replicas show the same, regardless of which one made it. */
import { Gauge } from 'prom-client';
import { driftKinds } from './reconciliation.ts';
import type { StoredReconciliation } from './store-reconciliation.ts';

const drift = new Gauge({
  name: 'gateway_drift_usd',
  help: 'Sum of the absolute differences between wallets and ledger, see gateway reconcile; all should be 0',
  labelNames: ['kind'],
});
const violations = new Gauge({
  name: 'gateway_violations',
  help: 'Violations of the rules of the ledger; should be 0',
});
const reconciledAt = new Gauge({
  name: 'gateway_reconciled_at_seconds',
  help: 'When wallets and ledger were last compared, as a Unix timestamp; 0 for never',
});

export function showReconciliation({ finishedAt, report }: StoredReconciliation): void {
  for (const kind of driftKinds) drift.set({ kind }, Number(report.drift[kind]));
  violations.set(report.violations.length);
  reconciledAt.set(finishedAt.getTime() / 1_000);
}
