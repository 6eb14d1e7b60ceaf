/** Mails as operators see them, as JSON. */
import type { ListedMail } from './list-mails.ts';

export function renderListedMail({ nextAttemptAt, giveUpAt, createdAt, sentAt, ...mail }: ListedMail) {
  return {
    ...mail,
    nextAttemptAt: nextAttemptAt.toISOString(),
    giveUpAt: giveUpAt.toISOString(),
    createdAt: createdAt.toISOString(),
    sentAt: sentAt?.toISOString() ?? null,
  };
}
