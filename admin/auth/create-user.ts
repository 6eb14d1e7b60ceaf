/** Creates a user and the account that pays for them, both or neither. */
import { GatewayError } from '../../shared/errors.ts';
import type { Db, Transaction } from '../database/connect.ts';
import { isUniqueViolation } from '../database/errors.ts';
import { accounts, users } from '../database/tables/accounts.ts';

export interface NewUser {
  readonly email: string;
  readonly passwordHash: string;
  readonly displayName: string | null;
  readonly role: 'customer' | 'operator';
  /** `proven` if an operator creates the account. */
  readonly ownership: 'unproven' | 'proven';
}

export type User = typeof users.$inferSelect;

/** Throws GatewayError `email_taken`; upper and lower case are the same. */
export async function createUser(db: Db | Transaction, { ownership, ...user }: NewUser): Promise<User> {
  try {
    return await db.transaction(async (transaction) => {
      const homeAccountId = await makeAccount(transaction, ownership);
      const [created] = await transaction
        .insert(users)
        .values({ ...user, homeAccountId })
        .returning();
      if (created === undefined) throw new Error('an insert returned no user');
      return created;
    });
  } catch (error) {
    if (!isUniqueViolation(error, 'users_email_unique')) throw error;
    throw emailTaken();
  }
}

/** Returns its id. A trigger makes the first user who is inserted with it its owner. */
export async function makeAccount(transaction: Transaction, ownership: NewUser['ownership']): Promise<number> {
  const [made] = await transaction.insert(accounts).values({ ownership }).returning({ id: accounts.id });
  if (made === undefined) throw new Error('an insert returned no account');
  return made.id;
}

export function emailTaken(): GatewayError {
  return new GatewayError('email_taken', 'This e-mail address already has an account.', { param: 'email' });
}
