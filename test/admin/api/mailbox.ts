/** Queued mails, as their recipient would see them. */
import type { Link, MailContent } from '../../../admin/mail/mail.ts';
import type { Language } from '../../../shared/languages.ts';
import type { Harness } from '../../harness.ts';

export type QueuedMail = MailContent & { readonly language: Language };

/** Oldest first. */
export async function mailsTo(harness: Harness, recipient: string): Promise<QueuedMail[]> {
  const rows = await harness.database.sql<QueuedMail[]>`
    SELECT kind, language, data FROM mails WHERE recipient = ${recipient} ORDER BY id`;
  return [...rows];
}

/** The token in the newest link of this kind. */
export async function newestToken(harness: Harness, recipient: string, kind: string): Promise<string> {
  const mails = await mailsTo(harness, recipient);
  const mail = mails.findLast((candidate) => candidate.kind === kind);
  const token = new URL(linkIn(mail).url).searchParams.get('token');
  if (token === null) throw new Error('a link without a token');
  return token;
}

export function linkIn(mail: QueuedMail | undefined): Link {
  if (mail === undefined || !('url' in mail.data)) throw new Error('no mail with a link');
  return mail.data;
}
