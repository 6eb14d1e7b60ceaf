/** Each request in the ledger, and the findings of reconciling. */
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

export async function readBookedRequests({ database }: World): Promise<Map<string, BookedRequest>> {
  const rows = await database.sql<
    { request_id: string; account_id: string; charged_nano: string; uncharged_nano: string }[]
  >`
    SELECT heads.request_id, heads.account_id, coalesce(lines.charged, 0)::bigint AS charged_nano, events.uncharged_nano
    FROM charged_requests AS heads
    JOIN usage_events AS events ON events.request_id = heads.request_id AND events.rank = heads.rank
    LEFT JOIN (
      SELECT request_id, -sum(amount_nano) AS charged FROM journal_lines WHERE book = 'wallet' GROUP BY request_id
    ) AS lines ON lines.request_id = heads.request_id`;
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

/** Findings of reconciling, and overdrawn accounts, which no rule of the ledger forbids; expected to be empty. */
export async function auditBooks({ database: { sql }, redis }: World): Promise<string[]> {
  const { drifting, violations } = await reconcile({ sql, auditor: new WalletAuditor(redis), pauseMs: readingPauseMs });
  const overdrawn = await sql`SELECT id, balance_nano FROM accounts WHERE balance_nano < 0`;
  return [
    ...violations.map(({ message }) => message),
    ...drifting.map(({ accountId, drift: { d1, d2, d3, d4 } }) => `account ${accountId} drifts by ${[d1, d2, d3, d4]}`),
    ...overdrawn.map(({ id, balance_nano }) => `account ${id} is overdrawn: ${balance_nano}`),
  ];
}
