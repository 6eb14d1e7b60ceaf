/**
 * Changes a customer's alert settings. A threshold raised above the balance counts as a fall, so it is decided here,
 * under the account lock that charges take too: only one of them sees the balance cross.
 */
import type { Sql, TransactionSql } from 'postgres';
import type { Language } from '../../shared/languages.ts';
import { formatRubKopecks, rubKopecks } from '../../shared/money.ts';
import { accountDeleted } from '../database/rows/account-state.ts';
import type { NotificationSettings } from '../database/rows/notification-settings.ts';
import { type Actor, recordActionIn } from '../operations/audit/record-action.ts';
import { type AlertTerms, accountsWithSettings } from './alert-sql.ts';
import { writeAlerts } from './write-alerts.ts';

interface SettingsChange {
  readonly actor: Actor;
  readonly accountId: number;
  /** Absent fields stay as they are. */
  readonly change: Partial<NotificationSettings>;
}

/** Returns the settings as they are now. */
export function changeSettings(
  sql: Sql,
  { actor, accountId, change }: SettingsChange,
  terms: AlertTerms,
): Promise<NotificationSettings> {
  return sql.begin(async (transaction) => {
    const [account] = await transaction<{ deleted: boolean }[]>`
      SELECT deleted_at IS NOT NULL AS deleted FROM accounts WHERE id = ${accountId} FOR NO KEY UPDATE`;
    if (account?.deleted) throw accountDeleted();
    const before = await read(transaction, accountId);
    const now = { ...before, ...change };
    const values = transaction({
      account_id: accountId,
      email_enabled: now.emailEnabled,
      threshold_kopecks: String(now.thresholdKopecks),
      interval_hours: now.intervalHours,
      language: now.language,
      document_emails: now.documentEmails,
      updated_at: terms.at,
    });
    await transaction`
      INSERT INTO notification_settings ${values} ON CONFLICT (account_id) DO UPDATE SET
        email_enabled = excluded.email_enabled, threshold_kopecks = excluded.threshold_kopecks,
        interval_hours = excluded.interval_hours, language = excluded.language,
        document_emails = excluded.document_emails, updated_at = excluded.updated_at`;
    await recordActionIn(transaction, actor, {
      action: 'alerts.update',
      subject: `account ${accountId}`,
      accountId,
      before: describe(before),
      after: describe(now),
    });
    const formerThresholdKopecks = before.thresholdKopecks;
    if (formerThresholdKopecks !== now.thresholdKopecks)
      await writeAlerts(transaction, [{ accountId, chargedNano: 0n, formerThresholdKopecks }], terms);
    return now;
  });
}

const describe = ({ thresholdKopecks, ...settings }: NotificationSettings) => ({
  ...settings,
  thresholdRub: formatRubKopecks(thresholdKopecks),
});

async function read(transaction: TransactionSql, accountId: number): Promise<NotificationSettings> {
  const [row] = await transaction<
    {
      email_enabled: boolean;
      threshold_kopecks: string;
      interval_hours: number;
      language: Language;
      document_emails: boolean;
    }[]
  >`SELECT * FROM (${accountsWithSettings(transaction)}) AS account WHERE account_id = ${accountId}`;
  if (row === undefined) throw new Error(`there is no account ${accountId}`);
  return {
    emailEnabled: row.email_enabled,
    thresholdKopecks: rubKopecks(BigInt(row.threshold_kopecks)),
    intervalHours: row.interval_hours,
    language: row.language,
    documentEmails: row.document_emails,
  };
}
