/** Admin's run over all accounts: stored, exposed as metrics, and logged as an error if something is wrong. */

import type { Sql } from 'postgres';
import type { Log } from '../../../shared/log.ts';
import type { Turn } from '../../ledger/turn.ts';
import type { ReconcileServices } from './checks/take-readings.ts';
import { showReconciliation } from './metrics.ts';
import { reconcile } from './reconcile.ts';
import { readLastReconciliation, type StoredReconciliation, storeReconciliation } from './store-reconciliation.ts';

interface RunServices extends ReconcileServices {
  readonly log: Log;
}

const intervalMs = 5 * 60_000;
const restFactor = 4;
/** How much of a bad result is logged; the rest is in Postgres. */
const logged = 20;

export async function runReconciliation(services: RunServices, signal?: AbortSignal): Promise<StoredReconciliation> {
  const { sql, auditor, log } = services;
  const reconciliation = await reconcile({ sql, auditor, ...(signal && { signal }) });
  const kept = await storeReconciliation(sql, reconciliation);
  showReconciliation(kept);
  const { ok, accounts, drift, driftingAccounts, violations } = kept.report;
  if (ok) {
    log.info({ accounts }, 'wallets and ledger agree');
  } else {
    const found = { driftingAccounts: driftingAccounts.slice(0, logged), violations: violations.slice(0, logged) };
    log.error({ accounts, drift, ...found }, 'wallets and ledger do not agree; see gateway reconcile');
  }
  return kept;
}

/**
 * The step of the worker. The replica in charge starts a run when the last one, from any replica, is five minutes old;
 * all replicas show the last one. After a long run, also one that failed, it rests four times as long, so that a ledger
 * of any size leaves Postgres time for other work.
 */
export function keepReconciled(
  services: RunServices,
  nowMs: () => number = () => performance.now(),
): (turn: Turn) => Promise<void> {
  let restUntilMs = 0;
  return async ({ inCharge, signal }) => {
    const last = await readLastReconciliation(services.sql);
    if (last !== undefined) showReconciliation(last);
    if (!inCharge || nowMs() < restUntilMs) return;
    if (last !== undefined && !(await isDue(services.sql, last))) return;
    const startedAtMs = nowMs();
    try {
      await runReconciliation(services, signal);
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      const endedAtMs = nowMs();
      restUntilMs = endedAtMs + restFactor * (endedAtMs - startedAtMs);
    }
  };
}

/** By Postgres' clock, which the timestamp is from. */
async function isDue(sql: Sql, last: StoredReconciliation): Promise<boolean> {
  const [row] = await sql<{ now: Date }[]>`SELECT clock_timestamp() AS now`;
  return row !== undefined && row.now.getTime() - last.finishedAt.getTime() >= intervalMs;
}
