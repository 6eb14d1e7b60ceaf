/**
 * The heads of requests: the locks under which a batch decides what it books. A head says what its request has been
 * charged so far; a transaction that inserts or locks it has the request for itself until it ends.
 *
 * Heads are inserted in the order of their ids, then locked in the order of their ids. A batch that inserts heads waits
 * only for smaller ids than those it may insert later, and one that locks heads waits only for others that lock: no
 * deadlock.
 */
import type { TransactionSql } from 'postgres';
import { arrayLiteral } from '../../database/array-literal.ts';
import { type Head, type PostingPlan, planPostings } from './plan-postings.ts';
import type { Charge } from './read-usage-entry.ts';

export interface ClaimedHeads {
  readonly plan: PostingPlan;
  /** Charges of accounts that do not exist, or of a request that is archived or belongs to another account. */
  readonly unknown: readonly Charge[];
}

interface OwnedHead extends Head {
  readonly accountId: number;
}

type Heads = Iterable<readonly [requestId: string, head: Head]>;
type Owners = Map<string, number | undefined>;

/** Nearly always every request is new: then the first plan is right, and one statement inserts the final heads. */
export async function claimHeads(transaction: TransactionSql, charges: readonly Charge[]): Promise<ClaimedHeads> {
  const owners: Owners = new Map(charges.map(({ requestId, accountId }) => [requestId, accountId]));
  // What the archive has of its requests is final.
  for (const requestId of await findArchived(transaction, charges)) owners.set(requestId, undefined);
  const isOwn = ({ requestId, accountId }: Charge) => owners.get(requestId) === accountId;
  const assumedNew = planPostings(charges.filter(isOwn), new Map());
  const made = await insertHeads(transaction, assumedNew.heads, owners);

  const others = [...assumedNew.heads.keys()].filter((requestId) => !made.has(requestId));
  if (others.length === 0) return { plan: assumedNew, unknown: charges.filter((charge) => !isOwn(charge)) };
  const before = await lockHeads(transaction, others);
  for (const requestId of others) owners.set(requestId, before.get(requestId)?.accountId);
  const plan = planPostings(charges.filter(isOwn), before);
  const changed = [...plan.heads].filter(([requestId]) => before.has(requestId));
  if (changed.length > 0) await updateHeads(transaction, changed);
  return { plan, unknown: charges.filter((charge) => !isOwn(charge)) };
}

async function findArchived(transaction: TransactionSql, charges: readonly Charge[]): Promise<string[]> {
  const [archive] = await transaction<{ until: string | null }[]>`
    SELECT until_id AS until FROM archived_months ORDER BY month DESC LIMIT 1`;
  const until = archive?.until ?? '';
  return charges.map(({ requestId }) => requestId).filter((requestId) => requestId < until);
}

/** Returns the requests that had no head and have an account. */
async function insertHeads(transaction: TransactionSql, heads: Heads, owners: Owners): Promise<Set<string>> {
  const { requestIds, ranks, charged } = columnsOf(heads);
  const accountIds = arrayLiteral(Array.from(heads, ([requestId]) => owners.get(requestId) ?? null));
  const rows = await transaction<{ request_id: string }[]>`
    INSERT INTO usage_requests (request_id, account_id, rank, charged_nano)
    SELECT request_id, account_id, rank, charged_nano
    FROM (SELECT
      unnest(${requestIds}::uuid[]) AS request_id,
      unnest(${accountIds}::bigint[]) AS account_id,
      unnest(${ranks}::smallint[]) AS rank,
      unnest(${charged}::bigint[]) AS charged_nano
    ) AS new
    WHERE EXISTS (SELECT FROM accounts WHERE id = account_id)
    ORDER BY request_id
    ON CONFLICT DO NOTHING RETURNING request_id`;
  return new Set(rows.map((row) => row.request_id));
}

async function lockHeads(transaction: TransactionSql, requestIds: string[]): Promise<Map<string, OwnedHead>> {
  const rows = await transaction<{ request_id: string; account_id: string; rank: number; charged_nano: string }[]>`
    SELECT request_id, account_id, rank, charged_nano FROM usage_requests
    WHERE request_id = ANY(${requestIds}::uuid[]) ORDER BY request_id FOR NO KEY UPDATE`;
  return new Map(
    rows.map(({ request_id, account_id, rank, charged_nano }) => [
      request_id,
      { accountId: Number(account_id), rank, chargedNano: BigInt(charged_nano) },
    ]),
  );
}

async function updateHeads(transaction: TransactionSql, heads: Heads): Promise<void> {
  const { requestIds, ranks, charged } = columnsOf(heads);
  await transaction`
    UPDATE usage_requests SET rank = new.rank, charged_nano = new.charged_nano
    FROM unnest(${requestIds}::uuid[], ${ranks}::smallint[], ${charged}::bigint[])
      AS new (request_id, rank, charged_nano)
    WHERE usage_requests.request_id = new.request_id`;
}

function columnsOf(heads: Heads) {
  const rows = [...heads];
  return {
    requestIds: arrayLiteral(rows.map(([requestId]) => requestId)),
    ranks: arrayLiteral(rows.map(([, head]) => head.rank)),
    charged: arrayLiteral(rows.map(([, head]) => head.chargedNano)),
  };
}
