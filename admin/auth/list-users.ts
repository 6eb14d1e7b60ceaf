/** Users who can log in, newest first. */
import { and, desc, eq, isNull, or, type SQL, sql } from 'drizzle-orm';
import type { DbOrTransaction } from '../database/connect.ts';
import { users } from '../database/tables/accounts.ts';
import type { User } from './create-user.ts';

export interface UserSearch {
  /** A part of the e-mail address or the name; undefined for all. */
  readonly text: string | undefined;
  readonly role: User['role'] | undefined;
  readonly limit: number;
}

export function listUsers(db: DbOrTransaction, { text, role, limit }: UserSearch): Promise<User[]> {
  return db
    .select()
    .from(users)
    .where(
      and(
        text === undefined
          ? undefined
          : or(contains(sql`${users.email}`, text), contains(sql`${users.displayName}`, text)),
        role && eq(users.role, role),
        isNull(users.deletedAt),
      ),
    )
    .orderBy(desc(users.id))
    .limit(limit);
}

/** With `strpos`, which has no wildcards: an address may contain an underscore. */
const contains = (column: SQL, text: string) => sql`strpos(lower(coalesce(${column}, '')), lower(${text})) > 0`;
