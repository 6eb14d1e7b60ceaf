/**
 * Writes down which receipts are due: for each payment of a private customer and each month that has been over for a day,
 * what usage took from the payment and no receipt is about yet. Companies get acts instead. Each account is one
 * transaction, which finds again what a killed one has left.
 *
 * A receipt never changes: usage that is booked after the receipt of its month, and corrections, are in a later one.
 */
import { sql } from 'drizzle-orm';
import type { Transaction } from '../../database/connect.ts';
import { catchUpLots } from '../../lots/catch-up-lots.ts';
import { countLots } from '../../lots/count-lots.ts';
import { monthBefore, monthOf } from '../../lots/months.ts';
import type { PaymentServices } from '../payment-services.ts';

type Writing = Pick<PaymentServices, 'config' | 'database' | 'methods' | 'now'>;

interface Due {
  readonly methods: readonly string[];
  /** The last month that is over. */
  readonly through: string;
}

const dayMs = 86_400_000;

/** Of the lots as they were last counted. Returns how many receipts were written. */
export async function writeOffsetReceipts(services: Writing, signal?: AbortSignal): Promise<number> {
  const methods = methodsWithReceipts(services);
  if (methods.length === 0) return 0;
  const { billingTimeZone } = services.config.payments;
  const at = services.now();
  const due = { methods, through: monthBefore(monthOf(new Date(at.getTime() - dayMs), billingTimeZone)) };
  let written = 0;
  for (const accountId of await findDueAccounts(services, due)) {
    signal?.throwIfAborted();
    await catchUpLots(services.database.db, accountId, { billingTimeZone });
    written += await services.database.db.transaction(async (transaction) => {
      await countLots(transaction, accountId, { billingTimeZone });
      return writeReceipts(transaction, { ...due, accountId, at });
    });
  }
  return written;
}

export function methodsWithReceipts({ methods }: Pick<PaymentServices, 'methods'>): string[] {
  return [...methods.values()].filter(({ offsetReceipts }) => offsetReceipts !== undefined).map(({ id }) => id);
}

/**
 * Rows of `payment_id`, `account_id`, `month` and `kopecks` that private customers used. Months that an act has closed are
 * left out: then the customer was a company. A deleted account has no address that a receipt could be sent to.
 */
const usedParts = ({ methods, through }: Due) => sql`
  SELECT payments.id AS payment_id, payments.account_id, part.month, part.kopecks FROM lot_parts AS part
  JOIN lots ON lots.line_id = part.lot_line_id JOIN payments ON payments.id = lots.payment_id
  WHERE part.kind = 'usage' AND part.month <= ${through}::date AND payments.email <> ''
    AND payments.method IN (${sql.join(
      methods.map((method) => sql`${method}`),
      sql`, `,
    )})
    AND part.month > coalesce((SELECT max(month) FROM closed_months WHERE account_id = payments.account_id), '-infinity')
    AND NOT EXISTS (
      SELECT FROM company_details
      WHERE company_details.account_id = payments.account_id AND account_type IN ('OOO', 'IP'))`;

/** What receipts of the same months are about. */
const receipted = sql`
  SELECT coalesce(sum(kopecks), 0) AS kopecks, max(month) AS last FROM offset_receipts
  WHERE offset_receipts.payment_id = used.payment_id
    AND month > coalesce((SELECT max(month) FROM closed_months WHERE account_id = used.account_id), '-infinity')`;

async function findDueAccounts({ database }: Writing, due: Due): Promise<number[]> {
  const rows = await database.db.execute<{ account_id: string }>(sql`
    SELECT DISTINCT used.account_id
    FROM (SELECT payment_id, account_id, sum(kopecks) AS kopecks FROM (${usedParts(due)}) AS parts GROUP BY 1, 2) AS used
    CROSS JOIN LATERAL (${receipted}) AS receipted
    WHERE used.kopecks > receipted.kopecks AND (receipted.last IS NULL OR receipted.last < ${due.through}::date)
    ORDER BY used.account_id`);
  return rows.map(({ account_id }) => Number(account_id));
}

type UsedRow = {
  readonly payment_id: string;
  readonly month: string;
  readonly kopecks: string;
  readonly receipted: string;
  readonly last: string | null;
};

async function writeReceipts(
  transaction: Transaction,
  { accountId, at, ...due }: Due & { readonly accountId: number; readonly at: Date },
): Promise<number> {
  const rows = await transaction.execute<UsedRow>(sql`
    SELECT used.payment_id, used.month::text, used.kopecks, receipted.kopecks AS receipted, receipted.last::text
    FROM (${usedParts(due)} AND payments.account_id = ${accountId}) AS used CROSS JOIN LATERAL (${receipted}) AS receipted
    ORDER BY used.payment_id, used.month`);
  let written = 0;
  for (const [paymentId, used] of Map.groupBy(rows, ({ payment_id }) => payment_id)) {
    for (const { month, kopecks } of receiptsOf(used, due.through)) {
      await transaction.execute(sql`
        INSERT INTO offset_receipts (id, payment_id, month, kopecks, key, next_attempt_at)
        VALUES (${Bun.randomUUIDv7()}, ${paymentId}, ${month}, ${String(kopecks)}, ${crypto.randomUUID()},
          ${at.toISOString()})`);
      written += 1;
    }
  }
  return written;
}

/** One for each month with usage since the last receipt; what was booked late for earlier months is in the last one. */
function receiptsOf(used: readonly UsedRow[], through: string): { readonly month: string; readonly kopecks: bigint }[] {
  const [first] = used;
  let documented = BigInt(first?.receipted ?? '0');
  const last = first?.last ?? '';
  const months = new Set([...used.map(({ month }) => month), through]);
  const receipts = [];
  for (const month of [...months].filter((candidate) => candidate > last)) {
    const sum = used.reduce((total, row) => total + (row.month <= month ? BigInt(row.kopecks) : 0n), 0n);
    if (sum <= documented) continue;
    receipts.push({ month, kopecks: sum - documented });
    documented = sum;
  }
  return receipts;
}
