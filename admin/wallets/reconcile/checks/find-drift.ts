/**
 * Finds wallets that differ from the ledger. One reading of every account finds the suspicious ones; for these, a
 * difference counts only if two consecutive readings agree on it.
 */
import type { Sql } from 'postgres';
import { type AccountDrift, hasDrift, type Violation } from '../reconciliation.ts';
import { compareReadings, isInconsistent } from './compare-readings.ts';
import { type Reading, type ReconcileServices, takeReadings } from './take-readings.ts';

export interface FoundDrift {
  readonly drifting: readonly AccountDrift[];
  readonly missing: readonly Violation[];
  readonly wallets: number;
  readonly undecided: number;
}

export interface DriftOptions {
  /** Between two readings. */
  readonly pauseMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** Readings of an account before it is reported as undecided. */
const readingsMax = 4;

export async function findDrift(
  services: ReconcileServices,
  accountIds: readonly number[],
  options: DriftOptions,
): Promise<FoundDrift> {
  let wallets = 0;
  const suspects = new Set<number>();
  await takeReadings(services, { accountIds, closely: false }, (accountId, reading) => {
    options.signal?.throwIfAborted();
    wallets += 1;
    if (isInconsistent(reading)) suspects.add(accountId);
  });
  const { drifts, missing, undecided } = await confirm(services, suspects, options);
  return { drifting: await nameAccounts(services.sql, drifts), missing, wallets, undecided };
}

async function confirm(services: ReconcileServices, suspects: ReadonlySet<number>, options: DriftOptions) {
  const drifts: Omit<AccountDrift, 'email'>[] = [];
  const missing: Violation[] = [];
  let before = await readAll(services, [...suspects]);
  for (let round = 2; before.size > 0 && round <= readingsMax; round += 1) {
    await Bun.sleep(options.pauseMs);
    options.signal?.throwIfAborted();
    const now = await readAll(services, [...before.keys()]);
    for (const [accountId, reading] of now) {
      const first = before.get(accountId);
      if (first === undefined) continue;
      const verdict = compareReadings(accountId, first, reading);
      // Other accounts may need another reading; this one does only if something is still undecided.
      if (!verdict.decided && round < readingsMax) continue;
      if (hasDrift(verdict.drift)) drifts.push({ accountId, drift: verdict.drift });
      missing.push(...verdict.missing);
      if (verdict.decided) now.delete(accountId);
    }
    before = now;
  }
  return { drifts, missing, undecided: before.size };
}

async function readAll(services: ReconcileServices, accountIds: readonly number[]): Promise<Map<number, Reading>> {
  const readings = new Map<number, Reading>();
  await takeReadings(services, { accountIds, closely: true }, (accountId, reading) => readings.set(accountId, reading));
  return readings;
}

async function nameAccounts(sql: Sql, drifts: readonly Omit<AccountDrift, 'email'>[]): Promise<AccountDrift[]> {
  if (drifts.length === 0) return [];
  const ids = drifts.map(({ accountId }) => accountId);
  const rows = await sql<{ account_id: string; email: string }[]>`
    SELECT id AS account_id, contact_email AS email FROM organizations WHERE id = ANY(${ids}::bigint[])`;
  const emails = new Map(rows.map((row) => [Number(row.account_id), row.email]));
  return drifts
    .map((drift) => ({ ...drift, email: emails.get(drift.accountId) ?? null }))
    .sort((one, other) => one.accountId - other.accountId);
}
