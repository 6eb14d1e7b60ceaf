/** Mails as operators see them, newest first: their delivery, never their content. */
import { and, desc, eq, lt } from 'drizzle-orm';
import type { Db } from '../../database/connect.ts';
import { mails } from '../../database/tables/mails.ts';

export interface MailQuery {
  readonly state?: ListedMail['state'] | undefined;
  /** Only mails older than this id, for the next page. */
  readonly beforeId?: number | undefined;
  readonly limit: number;
}

const listed = {
  id: mails.id,
  kind: mails.kind,
  language: mails.language,
  recipient: mails.recipient,
  state: mails.state,
  attempts: mails.attempts,
  nextAttemptAt: mails.nextAttemptAt,
  giveUpAt: mails.giveUpAt,
  lastError: mails.lastError,
  response: mails.response,
  createdAt: mails.createdAt,
  sentAt: mails.sentAt,
};

export type ListedMail = Omit<typeof mails.$inferSelect, 'accountId' | 'data' | 'messageKey'>;

export function listMails(db: Db, query: MailQuery): Promise<ListedMail[]> {
  return db
    .select(listed)
    .from(mails)
    .where(
      and(
        query.state === undefined ? undefined : eq(mails.state, query.state),
        query.beforeId === undefined ? undefined : lt(mails.id, query.beforeId),
      ),
    )
    .orderBy(desc(mails.id))
    .limit(query.limit);
}

export function renderListedMail({ nextAttemptAt, giveUpAt, createdAt, sentAt, ...mail }: ListedMail) {
  return {
    ...mail,
    nextAttemptAt: nextAttemptAt.toISOString(),
    giveUpAt: giveUpAt.toISOString(),
    createdAt: createdAt.toISOString(),
    sentAt: sentAt?.toISOString() ?? null,
  };
}
