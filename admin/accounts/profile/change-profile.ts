/** Changes a user's profile, and starts the change of their e-mail address. */
import { and, eq, isNull } from 'drizzle-orm';
import { GatewayError } from '../../../shared/errors.ts';
import type { Language } from '../../../shared/languages.ts';
import type { User } from '../../auth/create-user.ts';
import type { LoginProtection } from '../../auth/login-protection.ts';
import { type LinkInput, mailLink } from '../../auth/mail-links/mail-link.ts';
import { isTaken, notifyOwner } from '../../auth/mail-links/notify-owner.ts';
import type { Db, DbOrTransaction } from '../../database/connect.ts';
import { users } from '../../database/tables/accounts.ts';
import { queueMail } from '../../mail/queue/queue-mail.ts';

/** Absent fields stay as they are. */
export interface ProfileChange {
  readonly displayName?: string | null;
  readonly avatarUrl?: string | null;
  /** Replaces the current address once the link mailed to it is followed. Null cancels a pending change. */
  readonly pendingEmail?: string | null;
}

/**
 * Returns the changed user. A new address that has another account gets the same response as any other, and its owner is notified.
 * Throws GatewayError `wrong_password` if a new address was authorised with a password that has been changed since.
 */
export async function changeProfile(
  { db, protection }: { db: Db; protection: Pick<LoginProtection, 'requests'> },
  { id: userId, homeAccountId, passwordHash }: Pick<User, 'id' | 'homeAccountId' | 'passwordHash'>,
  { change, link }: { change: ProfileChange; link: Pick<LinkInput, 'language' | 'publicUrl'> },
): Promise<User> {
  const to = change.pendingEmail;
  const taken = typeof to === 'string' && (await isTaken(db, to, userId));
  const changed = await db.transaction(async (transaction) => {
    if (typeof to === 'string' && !taken)
      await mailLink(transaction, { ...link, purpose: 'verify_email', userId, accountId: homeAccountId, to });
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
  if (taken) await notifyOwner({ db, protection }, { email: to, attempt: 'change_address' });
  return changed;
}

/** A thief with the session and the password must not take the account over unnoticed. */
async function warnPresentAddress(
  transaction: DbOrTransaction,
  { email: to, homeAccountId: accountId }: User,
  { newEmail, language }: { newEmail: string; language: Language },
): Promise<void> {
  const data = { newEmail, requestedAt: new Date().toISOString() };
  await queueMail(transaction, { kind: 'email_change', to, language, accountId, data });
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
