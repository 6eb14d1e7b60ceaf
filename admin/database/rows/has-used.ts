/** Whether an account was charged for a model, by its totals: a condition for statements about many accounts. */
import type { PendingQuery, Row, Sql, TransactionSql } from 'postgres';

export interface UsedModel {
  /** The id of the account, in the statement that it is for. */
  readonly account: PendingQuery<Row[]>;
  readonly model: string;
  /** Inclusive. */
  readonly since: Date | string;
}

export function hasUsed(sql: Sql | TransactionSql, { account, model, since }: UsedModel) {
  const at = sql`${since}::timestamptz`;
  const local = sql`(${at} AT TIME ZONE 'UTC')`;
  return sql`(
    EXISTS (SELECT FROM usage_totals AS used WHERE used.account_id = ${account} AND used.bucket_15m >= ${at} AND used.model = ${model})
    OR EXISTS (
      SELECT FROM archived_totals AS used CROSS JOIN LATERAL unnest(quarters, model_numbers) AS total (quarter, model_number)
      WHERE used.account_id = ${account} AND ${model} = ANY(used.models) AND used.month >= date_trunc('month', ${local})
        AND used.month + used.last_quarter * interval '15 minutes' >= ${local}
        AND used.models[model_number] = ${model} AND used.month + quarter * interval '15 minutes' >= ${local}
    )
  )`;
}
