/**
 * Writes a low-balance alert where a charge has taken a balance below its threshold. Runs inside the transaction that
 * books the charges, after the accounts were locked: so of any number of charges at once, on any number of replicas,
 * one alone sees the balance cross, and the alert is written if and only if that charge is.
 *
 * An account is told once each time that it falls, and not more often than its interval: what falls within the interval
 * is owed, and write-owed-alerts.ts sees to it. An account counts as fallen when it was above before the charge, or has
 * not been told since it was: the second also catches one that a new rate or a new threshold has put below.
 */
import type { TransactionSql } from 'postgres';
import { accountsWithSettings, insertAlertMails, isIntervalOver } from './alert-sql.ts';
import type { AlertTerms } from './alert-terms.ts';

/** `differences`: account → what it was charged just now. One statement for all of them; the accounts are locked. */
export async function writeAlerts(
  transaction: TransactionSql,
  differences: ReadonlyMap<number, bigint>,
  terms: AlertTerms,
): Promise<void> {
  const rate = String(terms.rate.rubPerUsd);
  await transaction`
    WITH judged AS (
      SELECT account.*, alerts.below AS told, alerts.owed, alerts.alerted_at,
        account.balance_nano * ${rate}::numeric < account.limit_scaled AS is_below,
        (account.balance_nano + moved.difference) * ${rate}::numeric >= account.limit_scaled AS was_above
      FROM unnest(${[...differences.keys()]}::bigint[], ${[...differences.values()].map(String)}::bigint[])
        AS moved (id, difference)
      JOIN (${accountsWithSettings(transaction)}) AS account ON account.account_id = moved.id
      LEFT JOIN balance_alerts AS alerts ON alerts.account_id = moved.id
    ), fallen AS (
      SELECT *, ${isIntervalOver(transaction, 'alerted_at', terms.at)} AS is_due FROM judged
      WHERE is_below AND email_enabled AND (was_above OR told IS NOT TRUE)
    ), due AS (
      SELECT * FROM fallen WHERE is_due
    ), mailed AS (
      ${insertAlertMails(transaction, terms)}
    ), risen AS (
      UPDATE balance_alerts SET below = false, owed = false FROM judged
      WHERE balance_alerts.account_id = judged.account_id AND NOT judged.is_below AND (judged.told OR judged.owed)
    )
    INSERT INTO balance_alerts (account_id, below, owed, alerted_at)
    SELECT account_id, true, NOT is_due, CASE WHEN is_due THEN ${terms.at}::timestamptz ELSE alerted_at END FROM fallen
    ON CONFLICT (account_id) DO UPDATE
      SET below = true, owed = excluded.owed, alerted_at = excluded.alerted_at`;
}
