/**
 * Writes the alerts that are owed once their interval is over: falls within it, and reminders for accounts that have
 * kept spending below their threshold. An account that is above again, or has switched alerts off, is no longer owed
 * anything.
 */
import type { Sql } from 'postgres';
import { type AlertTerms, accountsWithSettings, insertAlertMails, isIntervalOver } from './alert-sql.ts';

const accountsMax = 200;

/** Returns how many accounts were checked; call again until it returns 0. */
export function writeDueAlerts(sql: Sql, terms: AlertTerms): Promise<number> {
  return sql.begin(async (transaction) => {
    const isDue = transaction`alerts.owed AND ${isIntervalOver(transaction, 'alerted_at', terms.at)}`;
    // Accounts first and by id, like every posting: no one else changes their alerts in between, and there are no deadlocks.
    const locked = await transaction<{ id: string }[]>`
      SELECT id FROM accounts WHERE id IN (
        SELECT account.account_id FROM balance_alerts AS alerts
        JOIN (${accountsWithSettings(transaction)}) AS account ON account.account_id = alerts.account_id
        WHERE ${isDue}
        ORDER BY alerts.account_id LIMIT ${accountsMax})
      ORDER BY id FOR NO KEY UPDATE`;
    if (locked.length === 0) return 0;
    // Checked again, because another replica may have written them before this one got the lock.
    await transaction`
      WITH owed AS (
        SELECT account.*, alerts.below AS had_fallen,
          account.balance_nano * ${String(terms.rate.rubPerUsd)}::numeric < account.limit_scaled AS is_below
        FROM balance_alerts AS alerts
        JOIN (${accountsWithSettings(transaction)}) AS account ON account.account_id = alerts.account_id
        WHERE alerts.account_id = ANY(${locked.map(({ id }) => id)}::bigint[]) AND ${isDue}
      ), decided AS (
        SELECT *, CASE
            WHEN NOT email_enabled THEN NULL
            WHEN balance_nano <= 0 THEN 'empty'
            WHEN is_below AND had_fallen THEN 'low'
          END AS event
        FROM owed
      ), due AS (
        SELECT * FROM decided WHERE event IS NOT NULL
      ), mailed AS (
        ${insertAlertMails(transaction, terms)}
      )
      UPDATE balance_alerts SET owed = false, below = had_fallen AND is_below, seen_above = seen_above OR NOT is_below,
        alerted_at = CASE WHEN event IS NULL THEN alerted_at ELSE ${terms.at} END,
        emptied_at = CASE WHEN event = 'empty' THEN ${terms.at} ELSE emptied_at END
      FROM decided WHERE balance_alerts.account_id = decided.account_id`;
    return locked.length;
  });
}
