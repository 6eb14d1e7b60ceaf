/**
 * Books charges as version 0.1.0 does, three rows each, for databases that it may still work with: a head, which is the
 * lock under which a batch decides what it books, an event, and a line.
 *
 * A transaction that inserts or locks a head has its request for itself until it ends. Heads are inserted in the order of
 * their ids, then locked in the order of their ids, and accounts afterwards. A batch that inserts heads waits only for
 * smaller ids than those it may insert later, and one that locks heads waits only for others that lock: no deadlock.
 */
import type { TransactionSql } from 'postgres';
import { counted } from '../../../shared/counted.ts';
import { unitsInstead } from '../../../shared/usage/billable-units.ts';
import type { ChargeDetail } from '../../../shared/usage/charge-detail.ts';
import { arrayLiteral, type Item } from '../../database/array-literal.ts';
import { addToTotals } from './add-to-totals.ts';
import { insertEvents } from './insert-events.ts';
import { lockAccounts } from './lock-accounts.ts';
import type { ValuesOfCharges } from './name-values.ts';
import { type BookedBatch, type Head, type Posting, planPostings } from './plan-postings.ts';
import type { Charge } from './read-usage-entry.ts';
import { recoveredModel } from './recovered-charge.ts';

interface OwnedHead extends Head {
  readonly accountId: number;
}

type Heads = Iterable<readonly [requestId: string, head: Head]>;
type Owners = Map<string, number | undefined>;

/** The accounts' balances are up to the caller. */
export async function bookWithHeads(
  transaction: TransactionSql,
  charges: readonly Charge[],
  values: ValuesOfCharges,
): Promise<BookedBatch> {
  const batch = await claimHeads(transaction, charges);
  const { postings } = batch.plan;
  if (postings.length === 0) return batch;
  await insertEvents(transaction, postings, values);
  await addToTotals(transaction, postings, values);
  const changed = postings.filter(({ differenceNano }) => differenceNano !== 0n);
  if (changed.length > 0) {
    await lockAccounts(transaction, batch.plan.differenceByAccount.keys());
    await insertJournal(transaction, changed);
  }
  return batch;
}

/** Nearly always every request is new: then the first plan is right, and one statement inserts the final heads. */
async function claimHeads(transaction: TransactionSql, charges: readonly Charge[]): Promise<BookedBatch> {
  const owners: Owners = new Map(charges.map(({ requestId, accountId }) => [requestId, accountId]));
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

/** One line per request, and one for the gateway's revenue, so that they sum to zero. */
async function insertJournal(transaction: TransactionSql, postings: readonly Posting[]): Promise<void> {
  const of = (value: (posting: Posting) => Item) => arrayLiteral(postings.map(value));
  const revenueNano = postings.reduce((sum, { differenceNano }) => sum + differenceNano, 0n);
  await transaction`
    WITH journal AS (INSERT INTO journals (type, reason) VALUES ('usage', 'inference') RETURNING id)
    INSERT INTO ledger_lines
      (journal_id, type, book, account_id, amount_nano, description, request_id, model, created_at)
    SELECT journal.id, 'usage', 'wallet',
      unnest(${of(({ charge }) => charge.accountId)}::bigint[]),
      unnest(${of(({ differenceNano }) => -differenceNano)}::bigint[]),
      unnest(${of(({ charge }) => describeCharge(charge))}::text[]),
      unnest(${of(({ charge }) => charge.requestId)}::uuid[]),
      unnest(${of(({ charge }) => charge.detail.model)}::text[]),
      unnest(${of(({ charge }) => charge.chargedAt)}::timestamptz[])
    FROM journal
    UNION ALL
    SELECT journal.id, 'usage', 'revenue', NULL, ${String(revenueNano)}::bigint, 'inference', NULL, NULL, now()
    FROM journal`;
}

/** As the view `journal_lines` describes a compact charge. */
function describeCharge({ detail, rank }: Charge): string {
  if (detail.model === recoveredModel) return 'requests whose receipts were lost when the database was restored';
  const note = rank === 1 ? ' (estimated, may be corrected)' : detail.estimated ? ' (estimated)' : '';
  return `${detail.model}: ${describeUnits(detail)}${note}`;
}

function describeUnits(detail: ChargeDetail): string {
  const { variant, promptTokens, completionTokens } = detail;
  const other = unitsInstead.find(({ name }) => detail[name] > 0);
  if (other === undefined) return `${promptTokens} prompt + ${completionTokens} completion tokens`;
  const [one, several] = other.noun;
  const text = counted(detail[other.name], one, several);
  return other.unit === 'image' ? `${text} (${variant})` : text;
}
