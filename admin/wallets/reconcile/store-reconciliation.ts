/** Stores the results of runs in Postgres, so that all replicas report the same, and since when something is wrong. */
import type { Sql } from 'postgres';
import type { Reconciliation } from './reconciliation.ts';
import { type ReconciliationReport, reportOf } from './render-reconciliation.ts';

export interface StoredReconciliation {
  readonly finishedAt: Date;
  readonly report: ReconciliationReport;
}

const keptFor = '30 days';

/** For a run over all accounts. Older runs are deleted after a month. */
export async function storeReconciliation(sql: Sql, reconciliation: Reconciliation): Promise<StoredReconciliation> {
  const report = reportOf(reconciliation);
  const [row] = await sql<{ finished_at: Date }[]>`
    INSERT INTO reconciliations (finished_at, ok, accounts, report)
    VALUES (clock_timestamp(), ${report.ok}, ${report.accounts}, ${JSON.stringify(report)}::text::jsonb)
    RETURNING finished_at`;
  if (row === undefined) throw new Error('an insert returned no reconciliation');
  await sql`DELETE FROM reconciliations WHERE finished_at < now() - ${keptFor}::interval`;
  return { finishedAt: row.finished_at, report };
}

export async function readLastReconciliation(sql: Sql): Promise<StoredReconciliation | undefined> {
  const [row] = await sql<{ finished_at: Date; report: ReconciliationReport }[]>`
    SELECT finished_at, report FROM reconciliations ORDER BY finished_at DESC, id DESC LIMIT 1`;
  return row && { finishedAt: row.finished_at, report: row.report };
}
