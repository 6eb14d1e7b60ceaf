/**
 * Mails a link to set a new password. The response reveals nothing: an unknown address gets the same one, after the
 * same time.
 */
import type { Db } from '../../database/connect.ts';
import type { Language } from '../../http/request/preferred-language.ts';
import { findUserByEmail } from '../find-user.ts';
import { mailLink } from '../mail-links/mail-link.ts';

interface ResetRequest {
  readonly email: string;
  readonly language: Language;
  readonly publicUrl: string;
}

/** Far longer than looking up a user and queueing a mail takes. */
const answerAfterMs = 150;

export async function requestPasswordReset(db: Db, request: ResetRequest): Promise<void> {
  await Promise.all([mailToKnown(db, request), Bun.sleep(answerAfterMs)]);
}

async function mailToKnown(db: Db, { email, language, publicUrl }: ResetRequest): Promise<void> {
  const user = await findUserByEmail(db, email);
  if (user === undefined) return;
  await db.transaction((transaction) =>
    // To the address on file: a different spelling may be a different mailbox.
    mailLink(transaction, {
      purpose: 'reset_password',
      userId: user.id,
      accountId: user.accountId,
      to: user.email,
      language,
      publicUrl,
    }),
  );
}
