/** Finds a user by e-mail address or by access token. */
import { eq, sql } from 'drizzle-orm';
import { users } from '../../shared/tables/accounts.ts';
import type { DbOrTransaction } from '../database/connect.ts';
import type { User } from './create-user.ts';

/** Ignores case. */
export async function findUserByEmail(db: DbOrTransaction, email: string): Promise<User | undefined> {
  const [user] = await db.select().from(users).where(sql`lower(${users.email}) = lower(${email.trim()})`);
  return user;
}

export async function findUserById(db: DbOrTransaction, id: number): Promise<User | undefined> {
  const [user] = await db.select().from(users).where(eq(users.id, id));
  return user;
}
