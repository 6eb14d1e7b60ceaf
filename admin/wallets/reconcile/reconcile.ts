/**
 * Compares the wallets in Redis with the ledger in Postgres, and checks the ledger's own rules. Read-only, and safe to
 * run while requests do: money that is still on its way is no drift.
 */
import type { Sql } from 'postgres';
import { checkBooks } from './checks/check-books.ts';
import { findBudgetDrift } from './checks/find-budget-drift.ts';
import { findDrift } from './checks/find-drift.ts';
import { findRequestFaults, violationOf } from './checks/find-request-faults.ts';
import type { ReconcileServices } from './checks/take-readings.ts';
import { type Reconciliation, sumOfDrift } from './reconciliation.ts';

export interface ReconcileOptions extends ReconcileServices {
  /** Only this account. */
  readonly accountId?: number | undefined;
  /** Between the two readings that must agree. */
  readonly pauseMs?: number;
  readonly signal?: AbortSignal;
}

export const readingPauseMs = 400;

export async function reconcile(options: ReconcileOptions): Promise<Reconciliation> {
  const { sql, auditor, accountId, signal, pauseMs = readingPauseMs } = options;
  const accountIds = await readAccountIds(sql, accountId);
  const [{ drifting, missing, wallets, undecided }, violationsOfBooks, requestFaults, ofBudgets] = await Promise.all([
    findDrift({ sql, auditor }, accountIds, { pauseMs, signal }),
    checkBooks(sql, { accountId }, signal),
    findRequestFaults({ sql, auditor }, { accountId }, { pauseMs, signal }),
    findBudgetDrift({ sql, auditor }, { accountId }, signal),
  ]);
  const violations = [...violationsOfBooks, ...missing, ...requestFaults.map(violationOf), ...ofBudgets];
  return {
    ok: drifting.length === 0 && violations.length === 0,
    accounts: accountIds.length,
    wallets,
    undecided,
    drift: sumOfDrift(drifting),
    drifting,
    violations,
    requestFaults,
  };
}

/** A million ids take a few megabytes. */
async function readAccountIds(sql: Sql, accountId: number | undefined): Promise<number[]> {
  const where = accountId === undefined ? sql`` : sql`WHERE id = ${accountId}`;
  const ids: number[] = [];
  for await (const rows of sql<{ id: string }[]>`SELECT id FROM accounts ${where}`.cursor(10_000)) {
    for (const { id } of rows) ids.push(Number(id));
  }
  return ids;
}
