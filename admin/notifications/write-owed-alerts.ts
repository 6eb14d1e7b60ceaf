/**
 * Writes the alerts that were owed until their interval was over, to accounts that are still below their threshold.
 * Whoever is above again, or has switched alerts off, is owed nothing any more.
 */
import type { Sql } from 'postgres';
import { accountsWithSettings, insertAlertMails, isIntervalOver } from './alert-sql.ts';
import type { AlertTerms } from './alert-terms.ts';

const accountsMax = 200;

/** Returns how many accounts were looked at; call again while there are some. */
export function writeOwedAlerts(sql: Sql, terms: AlertTerms): Promise<number> {
  return sql.begin(async (transaction) => {
    // Accounts first and by id, like every posting: then nobody else touches their alerts, and nobody deadlocks.
    const locked = await transaction<{ id: string }[]>`
      SELECT id FROM accounts WHERE id IN (
        SELECT account.account_id FROM balance_alerts AS alerts
        JOIN (${accountsWithSettings(transaction)}) AS account ON account.account_id = alerts.account_id
        WHERE alerts.owed AND ${isIntervalOver(transaction, 'alerted_at', terms.at)}
        ORDER BY alerts.account_id LIMIT ${accountsMax})
      ORDER BY id FOR NO KEY UPDATE`;
    if (locked.length === 0) return 0;
    // Looked at anew, because another replica may have been here before the lock was ours.
    await transaction`
      WITH owed AS (
        SELECT account.*,
          account.email_enabled AND account.balance_nano * ${String(terms.rate.rubPerUsd)}::numeric < account.limit_scaled
            AS is_fallen
        FROM balance_alerts AS alerts
        JOIN (${accountsWithSettings(transaction)}) AS account ON account.account_id = alerts.account_id
        WHERE alerts.account_id = ANY(${locked.map(({ id }) => id)}::bigint[])
          AND alerts.owed AND ${isIntervalOver(transaction, 'alerted_at', terms.at)}
      ), due AS (
        SELECT * FROM owed WHERE is_fallen
      ), mailed AS (
        ${insertAlertMails(transaction, terms)}
      )
      UPDATE balance_alerts SET owed = false, below = is_fallen,
        alerted_at = CASE WHEN is_fallen THEN ${terms.at} ELSE alerted_at END
      FROM owed WHERE balance_alerts.account_id = owed.account_id`;
    return locked.length;
  });
}
