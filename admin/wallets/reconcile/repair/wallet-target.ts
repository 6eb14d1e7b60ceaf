/** The state a wallet should have: the ledger's sums, plus the charges that are still on their way to it. */
import type { TransactionSql } from 'postgres';
import { shardOfAccount } from '../../../../shared/wallet/shard.ts';
import type { WalletAuditor } from '../../../../shared/wallet/wallet-auditor.ts';
import { planPostings } from '../../../ledger/charges/plan-postings.ts';
import { type Charge, readUsageEntry } from '../../../ledger/charges/read-usage-entry.ts';

export interface WalletTarget {
  /** Including charges that are still on their way. */
  readonly spentNano: bigint;
  readonly creditedNano: bigint;
  readonly creditSeq: number;
}

interface HeadJson {
  readonly requestId: string;
  readonly rank: number;
  readonly chargedNano: string;
}

/** The account's charges in the stream, in order. */
export async function readWaitingCharges(auditor: WalletAuditor, accountId: number): Promise<Charge[]> {
  const charges: Charge[] = [];
  for await (const entry of auditor.readWaiting(shardOfAccount(accountId))) {
    const charge = readUsageEntry(entry);
    if (charge.kind === 'charge' && charge.accountId === accountId) charges.push(charge);
  }
  return charges;
}

/** The ledger as it will be once the waiting charges are booked, computed by the code that books them. */
export async function readTarget(
  sql: TransactionSql,
  accountId: number,
  waiting: readonly Charge[],
): Promise<WalletTarget | undefined> {
  const requestIds = waiting.map(({ requestId }) => requestId);
  // One statement, and so one snapshot: a charge is in the account's sums exactly if its head is here.
  const [row] = await sql<{ spent_nano: string; credited_nano: string; credit_seq: string; heads: HeadJson[] }[]>`
    SELECT spent_nano, credited_nano, credit_seq, ARRAY(
      SELECT jsonb_build_object('requestId', request_id, 'rank', rank, 'chargedNano', charged_nano::text)
      FROM charged_requests WHERE request_id = ANY(${requestIds}::uuid[])
    ) AS heads
    FROM accounts WHERE id = ${accountId}`;
  if (row === undefined) return undefined;
  const heads = new Map(
    row.heads.map(({ requestId, rank, chargedNano }) => [requestId, { rank, chargedNano: BigInt(chargedNano) }]),
  );
  const { differenceByAccount } = planPostings(waiting, heads);
  return {
    spentNano: BigInt(row.spent_nano) + (differenceByAccount.get(accountId) ?? 0n),
    creditedNano: BigInt(row.credited_nano),
    creditSeq: Number(row.credit_seq),
  };
}
