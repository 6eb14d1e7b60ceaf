/** Finds the person behind an e-mail address or an access token. One who was deleted is not found. */
import { and, eq, isNull, sql } from 'drizzle-orm';
import type { DbOrTransaction, Transaction } from '../database/connect.ts';
import { users } from '../database/tables/accounts.ts';
import type { User } from './create-user.ts';

/** Ignores case. */
export async function findUserByEmail(db: DbOrTransaction, email: string): Promise<User | undefined> {
  const [user] = await db
    .select()
    .from(users)
    .where(and(sql`lower(${users.email}) = lower(${email.trim()})`, isNull(users.deletedAt)));
  return user;
}

export async function findUserById(db: DbOrTransaction, id: number): Promise<User | undefined> {
  const [user] = await db
    .select()
    .from(users)
    .where(and(eq(users.id, id), isNull(users.deletedAt)));
  return user;
}

/** Makes whatever else changes how they log in wait. The user is locked before their account. */
export async function lockUser(transaction: Transaction, id: number): Promise<User | undefined> {
  const [user] = await transaction
    .select()
    .from(users)
    .where(and(eq(users.id, id), isNull(users.deletedAt)))
    .for('no key update');
  return user;
}
