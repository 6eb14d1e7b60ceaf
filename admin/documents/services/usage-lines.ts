/**
 * The annex of an act: what each model's usage was worth, by cost center where projects have one. Lots know months, not models, so the month's roubles are shared
 * out over the lines in proportion to their dollars, and the lines sum to the act.
 */
import { sql } from 'drizzle-orm';
import { nanoUsd, type RubKopecks } from '../../../shared/money.ts';
import type { DbOrTransaction } from '../../database/connect.ts';
import { monthAfter } from '../../lots/months.ts';
import { shareKopecks } from '../../money/payment-money.ts';
import type { UsageLine } from '../document-data.ts';
import { roubles } from '../document-services.ts';

export interface UsageOfAct {
  readonly accountId: number;
  /** The first and the last month that the act is about. */
  readonly months: { readonly from: string; readonly to: string };
  /** The month of the act before; undefined for the first one. */
  readonly after: string | undefined;
  readonly kopecks: RubKopecks;
  readonly billingTimeZone: string;
}

type ModelRow = {
  readonly cost_center: string | null;
  readonly model: string;
  readonly requests: string;
  readonly nano: string;
};

export async function readUsageLines(transaction: DbOrTransaction, usage: UsageOfAct): Promise<UsageLine[]> {
  const inMonths = await readTotals(transaction, usage);
  const rows = inMonths.length > 0 ? inMonths : await readLateLines(transaction, usage);
  const shares = shareKopecks(
    usage.kopecks,
    rows.map(({ nano }) => nanoUsd(BigInt(nano))),
  );
  const isSplit = rows.some(({ cost_center }) => cost_center !== null);
  return rows.map(({ cost_center, model, requests }, index) => ({
    ...(isSplit && { costCenter: cost_center }),
    model,
    requests: Number(requests),
    amount: roubles(shares[index] ?? 0n),
  }));
}

/** Usage of the months themselves: by cost center, that of none last, and most expensive first. */
async function readTotals(transaction: DbOrTransaction, usage: UsageOfAct): Promise<readonly ModelRow[]> {
  const { accountId, months, billingTimeZone } = usage;
  return transaction.execute<ModelRow>(sql`
    SELECT projects.cost_center, model, sum(requests) AS requests, sum(cost_nano) AS nano
    FROM usage_totals_between(
      ${accountId}, ${months.from}::timestamp AT TIME ZONE ${billingTimeZone},
      ${monthAfter(months.to)}::timestamp AT TIME ZONE ${billingTimeZone}
    ) AS total
    LEFT JOIN assignments ON assignments.id = total.key_id AND assignments.account_id = ${accountId}
    LEFT JOIN projects ON projects.id = assignments.project_id
    GROUP BY cost_center, model HAVING sum(cost_nano) > 0
    ORDER BY cost_center NULLS LAST, sum(cost_nano) DESC, model`);
}

/** A month without usage of its own has only charges that were booked after the act of their month was issued. */
async function readLateLines(transaction: DbOrTransaction, usage: UsageOfAct): Promise<readonly ModelRow[]> {
  const { accountId, after } = usage;
  return transaction.execute<ModelRow>(sql`
    SELECT NULL AS cost_center, coalesce(model, '') AS model, count(*) AS requests, -sum(amount_nano) AS nano FROM journal_lines
    WHERE account_id = ${accountId} AND book = 'wallet' AND type = 'usage' AND id > coalesce((
      SELECT max(through_line_id) FROM closed_months WHERE account_id = ${accountId} AND month <= ${after ?? '0001-01-01'}::date), 0)
    GROUP BY model HAVING sum(amount_nano) < 0 ORDER BY sum(amount_nano), model`);
}
