/** A customer's settings of mails, or the defaults; stored per account. */
import { eq } from 'drizzle-orm';
import type { Language } from '../../../shared/languages.ts';
import { type RubKopecks, rubKopecks } from '../../../shared/money.ts';
import type { DbOrTransaction } from '../connect.ts';
import { notificationDefaults, notificationSettings } from '../tables/notifications.ts';

export interface NotificationSettings {
  readonly emailEnabled: boolean;
  readonly thresholdKopecks: RubKopecks;
  /** The minimum time between two alerts. */
  readonly intervalHours: number;
  readonly language: Language;
  /** Whether new accounting documents are mailed. */
  readonly documentEmails: boolean;
}

export async function readSettings(db: DbOrTransaction, accountId: number): Promise<NotificationSettings> {
  const [row] = await db.select().from(notificationSettings).where(eq(notificationSettings.accountId, accountId));
  const { thresholdKopecks, ...settings } = row ?? notificationDefaults;
  const { emailEnabled, intervalHours, language, documentEmails } = settings;
  return { emailEnabled, thresholdKopecks: rubKopecks(thresholdKopecks), intervalHours, language, documentEmails };
}

/** For a new account: everything else keeps its default. */
export async function chooseLanguage(db: DbOrTransaction, accountId: number, language: Language): Promise<void> {
  await db.insert(notificationSettings).values({ accountId, language });
}
