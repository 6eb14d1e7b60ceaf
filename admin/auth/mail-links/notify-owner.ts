/**
 * Notifies the owner of an address that someone tried to sign up with it, or to move another account to it: at most once a
 * day, and only if the address is verified (queue-mail.ts).
 */
import { and, eq, isNull } from 'drizzle-orm';
import type { Db, DbOrTransaction } from '../../database/connect.ts';
import { readSettings } from '../../database/rows/notification-settings.ts';
import { users } from '../../database/tables/accounts.ts';
import { queueMail } from '../../mail/queue/queue-mail.ts';
import { findUserByEmail } from '../find-user.ts';
import type { LoginProtection } from '../login-protection.ts';
import { type LinkInput, mailLink } from './mail-link.ts';

/** Whether the address is the address of another user. */
export async function isTaken(db: DbOrTransaction, email: string, userId: number): Promise<boolean> {
  const owner = await findUserByEmail(db, email);
  return owner !== undefined && owner.id !== userId;
}

interface Attempt {
  readonly email: string;
  readonly attempt: 'sign_up' | 'change_address';
}

export async function notifyOwner(
  { db, protection }: { db: Db; protection: Pick<LoginProtection, 'requests'> },
  { email, attempt }: Attempt,
): Promise<void> {
  const owner = await findUserByEmail(db, email);
  if (owner === undefined || !(await protection.requests.mayNotifyOwner(owner.email))) return;
  await db.transaction(async (transaction) => {
    // The lock keeps the user from being deleted: an erased address must not be stored again.
    const [user] = await transaction
      .select({ accountId: users.homeAccountId, to: users.email })
      .from(users)
      .where(and(eq(users.id, owner.id), isNull(users.deletedAt)))
      .for('no key update');
    if (user === undefined) return;
    // Not that of the stranger's browser.
    const { language } = await readSettings(transaction, user.accountId);
    const data = { attempt, attemptedAt: new Date().toISOString() };
    await queueMail(transaction, { ...user, kind: 'address_in_use', language, data });
  });
}

/** Another user may have got the address since the change to it was begun. */
export async function linkOrNotifyOwner(
  { db, protection }: { db: Db; protection: Pick<LoginProtection, 'requests'> },
  link: LinkInput,
): Promise<void> {
  if (await isTaken(db, link.to, link.userId)) {
    await notifyOwner({ db, protection }, { email: link.to, attempt: 'change_address' });
  } else {
    await db.transaction((transaction) => mailLink(transaction, link));
  }
}
