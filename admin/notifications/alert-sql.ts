/**
 * The SQL fragments of alerts: whether an account is below its threshold, the mail that says so, and who gets it.
 * Everything is exact: roubles and dollars are compared as whole numbers, never divided.
 */
import type { TransactionSql } from 'postgres';
import type { ExchangeRate } from '../catalogue/exchange-rate/exchange-rate.ts';
import { notificationDefaults } from '../database/tables/notifications.ts';

/** The inputs of alert decisions besides balances and settings: passed in, so that no decision reads a clock. */
export interface AlertTerms {
  /** Thresholds are roubles, balances are dollars. */
  readonly rate: ExchangeRate;
  readonly at: Date;
}

/** nano-USD × rate in ten-thousandths = kopecks × this. */
const scale = 10n ** 11n;
export const daysToSend = 3;

/** Rows of accounts: their balance, their settings or the defaults, and `limit_scaled` to compare the balance with. */
export function accountsWithSettings(transaction: TransactionSql) {
  const { emailEnabled, thresholdKopecks, intervalHours, language, documentEmails } = notificationDefaults;
  return transaction`
    SELECT accounts.id AS account_id, accounts.balance_nano,
      coalesce(settings.email_enabled, ${emailEnabled}) AS email_enabled,
      coalesce(settings.threshold_kopecks, ${String(thresholdKopecks)}::bigint) AS threshold_kopecks,
      coalesce(${asLimit(transaction, 'settings.threshold_kopecks')}, ${String(thresholdKopecks * scale)}::numeric)
        AS limit_scaled,
      coalesce(settings.interval_hours, ${intervalHours}) AS interval_hours,
      coalesce(settings.language, ${language}) AS language,
      coalesce(settings.document_emails, ${documentEmails}) AS document_emails
    FROM accounts LEFT JOIN notification_settings AS settings ON settings.account_id = accounts.id`;
}

/** Kopecks, scaled to be compared with a balance times the rate. */
export function asLimit(
  transaction: TransactionSql,
  kopecks: 'settings.threshold_kopecks' | 'change.former_threshold',
) {
  return transaction`${transaction(kopecks)} * ${String(scale)}::numeric`;
}

/**
 * Whether the account's interval has passed since `last`, a column of instants. Hours are compared with hours, because
 * an interval may be longer than Postgres can add to an instant. Replicas' clocks differ, so a negative difference
 * counts as zero.
 */
export function isIntervalOver(transaction: TransactionSql, last: 'alerted_at' | 'emptied_at', at: Date) {
  const elapsedSeconds = transaction`extract(epoch FROM ${at}::timestamptz - ${transaction(last)})::double precision`;
  return transaction`(${transaction(last)} IS NULL OR greatest(${elapsedSeconds} / 3600, 0) >= interval_hours)`;
}

/**
 * Writes the mails for every row of the relation `due`, an account with its settings and the `event` to report: one to
 * its contact, and one to each additional address that has confirmed. None about an account whose address is
 * unproven.
 */
export function insertAlertMails(transaction: TransactionSql, { rate, at }: AlertTerms) {
  return transaction`
    INSERT INTO mails (account_id, recipient, language, kind, data, next_attempt_at, give_up_at, created_at)
    SELECT due.account_id, recipient.email, due.language, 'low_balance', jsonb_build_object(
        'event', due.event, 'balanceNano', due.balance_nano::text, 'thresholdKopecks', due.threshold_kopecks::text,
        'rubPerUsd', ${String(rate.rubPerUsd)}::text, 'rateDate', ${rate.date}::text, 'rateSource', ${rate.source}::text) || recipient.data,
      ${at}::timestamptz, ${at}::timestamptz + make_interval(days => ${daysToSend}), ${at}::timestamptz
    FROM due JOIN accounts ON accounts.id = due.account_id AND accounts.ownership <> 'unproven'
    JOIN organizations AS organization ON organization.id = due.account_id AND contact_email IS NOT NULL
    CROSS JOIN LATERAL (${alertRecipients(transaction)}) AS recipient`;
}

/**
 * Writes the webhooks of every row of the relation `events`, an account with its settings, the `type` of the event and its id. Sums are
 * multiplied by their unit, which is exact.
 */
export function insertBalanceEvents(transaction: TransactionSql, { at }: AlertTerms) {
  return transaction`
    INSERT INTO webhook_deliveries (endpoint_id, event_id, type, data, occurred_at)
    SELECT endpoint.id, events.event_id, events.type, json_build_object(
        'balanceUsd', trim_scale(events.balance_nano * 0.000000001)::text,
        'thresholdRub', trim_scale(events.threshold_kopecks * 0.01)::text),
      ${at}::timestamptz
    FROM events JOIN webhook_endpoints AS endpoint
      ON endpoint.account_id = events.account_id AND endpoint.active AND events.type = ANY(endpoint.events)`;
}

/** For the row `organization`: the `email` of its contact and of each confirmed address, with `data` for the mail. */
export function alertRecipients(transaction: TransactionSql) {
  return transaction`
    SELECT contact_email AS email, '{}'::jsonb AS data
    UNION ALL
    SELECT address.email, jsonb_build_object('stopToken', address.stop_token, 'accountEmail', contact_email)
    FROM alert_addresses AS address
    WHERE address.account_id = organization.id AND address.confirmed_at IS NOT NULL AND address.stopped_at IS NULL
      AND lower(address.email) <> lower(contact_email)`;
}
