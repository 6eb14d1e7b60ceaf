/** Makes a user an operator, or a customer again. Takes effect immediately: each request looks the role up. */
import { and, eq, isNull, ne } from 'drizzle-orm';
import { GatewayError } from '../../shared/errors.ts';
import type { User } from '../auth/create-user.ts';
import type { Db } from '../database/connect.ts';
import { users } from '../database/tables/accounts.ts';
import { type Actor, recordAction } from '../operations/audit/record-action.ts';
import { refuseLastOperator } from './last-operator.ts';

export interface RoleInput {
  readonly userId: number;
  readonly role: User['role'];
  readonly reason: string | undefined;
}

/** Idempotent. Throws GatewayError `not_found` or `last_operator`. */
export function setRole(db: Db, actor: Actor, { userId, role, reason }: RoleInput): Promise<User> {
  return db.transaction(async (transaction) => {
    const [user] = await transaction
      .select()
      .from(users)
      .where(and(eq(users.id, userId), isNull(users.deletedAt)))
      .for('no key update');
    if (user === undefined) throw new GatewayError('not_found', `There is no user ${userId}.`, { param: 'id' });
    if (user.role === role) return user;
    if (role === 'customer') await refuseLastOperator(transaction, ne(users.id, userId));
    await transaction.update(users).set({ role }).where(eq(users.id, userId));
    await recordAction(transaction, actor, {
      action: role === 'operator' ? 'user.promote' : 'user.demote',
      subject: `user ${userId}`,
      accountId: user.homeAccountId,
      reason,
      before: { role: user.role },
      after: { role },
    });
    return { ...user, role };
  });
}
