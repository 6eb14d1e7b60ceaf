/** Changes a user's profile, and starts the change of their e-mail address. */
import { and, eq, isNull, ne, sql } from 'drizzle-orm';
import { GatewayError } from '../../../shared/errors.ts';
import { users } from '../../../shared/tables/accounts.ts';
import { emailTaken, type User } from '../../auth/create-user.ts';
import { type LinkOrder, mailLink } from '../../auth/mail-links/mail-link.ts';
import type { Db, DbOrTransaction } from '../../database/connect.ts';
import type { Language } from '../../http/request/preferred-language.ts';
import { queueMail } from '../../mail/queue/queue-mail.ts';

/** Absent fields stay as they are. */
export interface ProfileChange {
  readonly displayName?: string | null;
  readonly avatarUrl?: string | null;
  /** Replaces the present address once the link mailed to it is followed. Null cancels a pending change. */
  readonly pendingEmail?: string | null;
}

/**
 * Returns the changed user. Throws GatewayError `email_taken`, and `wrong_password` if a new address was authorised
 * with a password that has been changed since.
 */
export function changeProfile(
  db: Db,
  { id: userId, accountId, passwordHash }: Pick<User, 'id' | 'accountId' | 'passwordHash'>,
  { change, link }: { change: ProfileChange; link: Pick<LinkOrder, 'language' | 'publicUrl'> },
): Promise<User> {
  return db.transaction(async (transaction) => {
    const to = change.pendingEmail;
    if (typeof to === 'string') {
      await refuseTaken(transaction, userId, to);
      await mailLink(transaction, { ...link, purpose: 'verify_email', userId, accountId, to });
    }
    const allowed = typeof to === 'string' ? eq(users.passwordHash, passwordHash) : undefined;
    const [user] = await transaction
      .update(users)
      .set(change)
      .where(and(eq(users.id, userId), isNull(users.deletedAt), allowed))
      .returning();
    if (user === undefined) {
      throw new GatewayError('wrong_password', 'The password has just been changed.', { param: 'current_password' });
    }
    if (typeof to === 'string') await warnPresentAddress(transaction, user, { newEmail: to, ...link });
    return user;
  });
}

/** A thief with the session and the password must not take the account over unnoticed. */
async function warnPresentAddress(
  transaction: DbOrTransaction,
  { email: to, accountId }: User,
  { newEmail, language }: { newEmail: string; language: Language },
): Promise<void> {
  const data = { newEmail, requestedAt: new Date().toISOString() };
  await queueMail(transaction, { kind: 'email_change', to, language, accountId, data });
}

/** An early error; the unique index decides when the link is followed. */
async function refuseTaken(transaction: DbOrTransaction, userId: number, email: string): Promise<void> {
  const [taken] = await transaction
    .select({ id: users.id })
    .from(users)
    .where(and(sql`lower(${users.email}) = lower(${email})`, ne(users.id, userId)));
  if (taken !== undefined) throw emailTaken();
}

/**
 * Dashboards display the picture, so its address must be https and carry no credentials. Normalised. Throws GatewayError
 * `invalid_parameter`.
 */
export function parseAvatarUrl(text: string): string {
  const url = URL.parse(text.trim());
  if (url === null || url.protocol !== 'https:' || url.username !== '' || url.password !== '') {
    throw new GatewayError('invalid_parameter', "Invalid value for 'avatarUrl': expected an https address.", {
      param: 'avatarUrl',
    });
  }
  return url.href;
}
