/** Each request in the ledger, and the findings of reconciling. */
import type { Sql } from 'postgres';
import { UsageArchive } from '../../../admin/ledger/archive/usage-archive.ts';
import { readSeals } from '../../../admin/ledger/seals/seal.ts';
import { verifyMonth } from '../../../admin/ledger/seals/verify-month.ts';
import { reconcile } from '../../../admin/wallets/reconcile/reconcile.ts';
import { WalletAuditor } from '../../../shared/wallet/wallet-auditor.ts';
import type { World } from '../world/world.ts';

/** At rest, no difference that two readings agree on is merely on its way. */
const readingPauseMs = 50;

export interface BookedRequest {
  readonly requestId: string;
  readonly accountId: number;
  /** The sum of its wallet lines. */
  readonly chargedNano: bigint;
  /** What it would have cost in addition, had the wallet covered it. */
  readonly unchargedNano: bigint;
}

export async function readBookedRequests({ database, past }: World): Promise<Map<string, BookedRequest>> {
  const rows = await database.sql<
    { request_id: string; account_id: string; charged_nano: string; uncharged_nano: string }[]
  >`
    SELECT heads.request_id, heads.account_id, coalesce(lines.charged, 0)::bigint AS charged_nano,
      coalesce(events.uncharged_nano, 0) AS uncharged_nano
    FROM charged_requests AS heads
    JOIN usage_events AS events ON events.request_id = heads.request_id AND events.rank = heads.rank
    LEFT JOIN (
      SELECT request_id, -sum(amount_nano) AS charged FROM journal_lines WHERE book = 'wallet' GROUP BY request_id
    ) AS lines ON lines.request_id = heads.request_id
    WHERE heads.account_id <> ${past.accountId}`;
  return new Map(
    rows.map((row) => [
      row.request_id,
      {
        requestId: row.request_id,
        accountId: Number(row.account_id),
        chargedNano: BigInt(row.charged_nano),
        unchargedNano: BigInt(row.uncharged_nano),
      },
    ]),
  );
}

async function problemsOfSeals(sql: Sql): Promise<string[]> {
  const problems: string[] = [];
  for (const { hash, month } of await readSeals(sql)) {
    const name = month.month.slice(0, 7);
    const verified = await verifyMonth({ sql, archive: new UsageArchive(undefined), readsFiles: true }, name);
    if (hash === null) problems.push(`${name} is not sealed to its end`);
    for (const problem of verified?.problems ?? []) problems.push(`${name}: ${problem}`);
  }
  return problems;
}

/** Findings of reconciling, of sealed months, and overdrawn accounts, which no rule of the ledger forbids; expected to be empty. */
export async function auditBooks({ database: { sql }, redis }: World): Promise<string[]> {
  const { drifting, violations } = await reconcile({ sql, auditor: new WalletAuditor(redis), pauseMs: readingPauseMs });
  const overdrawn = await sql`SELECT id, balance_nano FROM accounts WHERE balance_nano < 0`;
  return [
    ...(await problemsOfSeals(sql)),
    ...violations.map(({ message }) => message),
    ...drifting.map(({ accountId, drift: { d1, d2, d3, d4 } }) => `account ${accountId} drifts by ${[d1, d2, d3, d4]}`),
    ...overdrawn.map(({ id, balance_nano }) => `account ${id} is overdrawn: ${balance_nano}`),
  ];
}
