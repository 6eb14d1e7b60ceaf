/**
 * Writes a low-balance alert when a charge or a raised threshold puts a balance below its threshold, or a charge uses
 * it up. Runs inside the transaction of that change, after the accounts were locked: of any number of concurrent
 * charges, on any number of replicas, only one sees the balance cross, and the alert is written if and only if that
 * change is.
 *
 * A balance falls if it was above the threshold before the change, or if it was last seen above and the exchange rate
 * has put it below since. An account that was never above does not fall, and is only alerted when its balance is used
 * up. A fall within the interval after the last alert is owed, and so is a reminder once an account below its threshold
 * keeps spending: write-due-alerts.ts writes them when the interval is over. The alert that the balance is used up
 * waits only for the interval after the last alert of that kind. Webhooks receive each fall and each balance that is used
 * up, without an interval.
 */
import type { TransactionSql } from 'postgres';
import { arrayLiteral } from '../database/array-literal.ts';
import {
  type AlertTerms,
  accountsWithSettings,
  asLimit,
  insertAlertMails,
  insertBalanceEvents,
  isIntervalOver,
} from './alert-sql.ts';

export interface AccountChange {
  readonly accountId: number;
  /** Less than zero if an estimate was corrected. */
  readonly chargedNano: bigint;
  /** Null if the change left the threshold as it was. */
  readonly formerThresholdKopecks: bigint | null;
}

/** One statement for all of them. The accounts are locked, with their new balances and thresholds. */
export async function writeAlerts(
  transaction: TransactionSql,
  changes: readonly AccountChange[],
  terms: AlertTerms,
): Promise<void> {
  const rate = String(terms.rate.rubPerUsd);
  await transaction`
    WITH judged AS (
      SELECT account.*, alerts.alerted_at, alerts.emptied_at, coalesce(alerts.below, false) AS had_fallen,
        coalesce(alerts.owed, false) AS was_owed, coalesce(alerts.seen_above, false) AS was_seen_above,
        change.charged > 0 AS has_spent,
        account.balance_nano * ${rate}::numeric < account.limit_scaled AS is_below,
        (account.balance_nano + change.charged) * ${rate}::numeric
          >= coalesce(${asLimit(transaction, 'change.former_threshold')}, account.limit_scaled) AS was_above,
        account.balance_nano <= 0 AND account.balance_nano + change.charged > 0 AS is_used_up
      FROM unnest(
        ${arrayLiteral(changes.map(({ accountId }) => accountId))}::bigint[],
        ${arrayLiteral(changes.map(({ chargedNano }) => chargedNano))}::bigint[],
        ${arrayLiteral(changes.map(({ formerThresholdKopecks }) => formerThresholdKopecks))}::bigint[]
      ) AS change (account_id, charged, former_threshold)
      JOIN (${accountsWithSettings(transaction)}) AS account ON account.account_id = change.account_id
      LEFT JOIN balance_alerts AS alerts ON alerts.account_id = change.account_id
    ), located AS (
      SELECT *, was_seen_above OR was_above OR NOT is_below AS seen_above,
        is_below AND (was_seen_above OR was_above) AS has_fallen,
        is_below AND (was_above OR was_seen_above AND NOT had_fallen) AS falls
      FROM judged
    ), decided AS (
      SELECT *, CASE
          WHEN NOT email_enabled THEN NULL
          WHEN is_used_up AND ${isIntervalOver(transaction, 'emptied_at', terms.at)} THEN 'empty'
          WHEN falls AND ${isIntervalOver(transaction, 'alerted_at', terms.at)} THEN 'fallen'
        END AS event
      FROM located
    ), noted AS (
      SELECT *, event IS NULL AND email_enabled AND (is_used_up OR has_fallen AND (was_owed OR falls OR has_spent)) AS owed
      FROM decided
    ), due AS (
      SELECT * FROM decided WHERE event IS NOT NULL
    ), mailed AS (
      ${insertAlertMails(transaction, terms)}
    ), events AS MATERIALIZED (
      SELECT located.*, type, gen_random_uuid() AS event_id
      FROM located CROSS JOIN LATERAL (VALUES ('balance.low', falls), ('balance.used_up', is_used_up)) AS kind (type, happens)
      WHERE happens
    ), reported AS (
      ${insertBalanceEvents(transaction, terms)}
    )
    INSERT INTO balance_alerts (account_id, below, seen_above, owed, alerted_at, emptied_at)
    SELECT account_id, has_fallen, seen_above, owed,
      CASE WHEN event IS NULL THEN alerted_at ELSE ${terms.at}::timestamptz END,
      CASE WHEN event = 'empty' THEN ${terms.at}::timestamptz ELSE emptied_at END
    FROM noted
    WHERE event IS NOT NULL OR (has_fallen, seen_above, owed) <> (had_fallen, was_seen_above, was_owed)
    ON CONFLICT (account_id) DO UPDATE SET below = excluded.below, seen_above = excluded.seen_above,
      owed = excluded.owed, alerted_at = excluded.alerted_at, emptied_at = excluded.emptied_at`;
}
