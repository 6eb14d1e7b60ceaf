/** What a customer has set about alerts, or the defaults; kept by account. */
import { eq } from 'drizzle-orm';
import { type RubKopecks, rubKopecks } from '../../shared/money.ts';
import type { MailLanguage } from '../../shared/tables/mails.ts';
import { notificationDefaults, notificationSettings } from '../../shared/tables/notifications.ts';
import type { DbOrTransaction } from '../database/connect.ts';

export interface NotificationSettings {
  readonly emailEnabled: boolean;
  readonly thresholdKopecks: RubKopecks;
  /** At least this long between two alerts. */
  readonly intervalHours: number;
  readonly language: MailLanguage;
}

export async function readSettings(db: DbOrTransaction, accountId: number): Promise<NotificationSettings> {
  const [row] = await db.select().from(notificationSettings).where(eq(notificationSettings.accountId, accountId));
  return fromRow(row ?? notificationDefaults);
}

/** What the change leaves out stays as it is. Returns the settings as they are now. */
export async function changeSettings(
  db: DbOrTransaction,
  accountId: number,
  change: Partial<NotificationSettings>,
): Promise<NotificationSettings> {
  const set = { ...change, updatedAt: new Date() };
  const [row] = await db
    .insert(notificationSettings)
    .values({ accountId, ...set })
    .onConflictDoUpdate({ target: notificationSettings.accountId, set })
    .returning();
  if (row === undefined) throw new Error('an upsert returned no settings');
  return fromRow(row);
}

type Row = Pick<
  typeof notificationSettings.$inferSelect,
  'emailEnabled' | 'thresholdKopecks' | 'intervalHours' | 'language'
>;

function fromRow({ emailEnabled, thresholdKopecks, intervalHours, language }: Row): NotificationSettings {
  return { emailEnabled, thresholdKopecks: rubKopecks(thresholdKopecks), intervalHours, language };
}
