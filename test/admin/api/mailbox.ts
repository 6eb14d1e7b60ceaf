/** The mails that wait to be sent, as their recipient would see them. */
import type { Harness } from '../../harness.ts';

export interface QueuedMail {
  readonly kind: string;
  readonly language: string;
  // biome-ignore lint/suspicious/noExplicitAny: each kind has data of its own
  readonly data: any;
}

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
  if (mail === undefined) throw new Error(`no ${kind} mail to ${recipient}`);
  const token = new URL(mail.data.url).searchParams.get('token');
  if (token === null) throw new Error('a link without a token');
  return token;
}
