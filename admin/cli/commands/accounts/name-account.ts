/** The account that an operator names, by its id or by a user's e-mail address. */
import { eq } from 'drizzle-orm';
import { GatewayError } from '../../../../shared/errors.ts';
import { findUserByEmail } from '../../../auth/find-user.ts';
import type { Database } from '../../../database/connect.ts';
import { accounts } from '../../../database/tables/accounts.ts';
import { listOrganizations } from '../../../organizations/organizations.ts';
import { UsageError } from '../../command.ts';

export const accountArguments = {
  account: { type: 'string', description: 'The id of the account' },
  email: { type: 'string', description: 'Or the e-mail address of someone who belongs to it alone' },
} as const;

export interface NamedAccount {
  readonly account?: string | undefined;
  readonly email?: string | undefined;
}

/** Throws UsageError unless exactly one is named, and GatewayError `not_found`. */
export async function findNamedAccount(database: Database, named: NamedAccount): Promise<number> {
  const found = await findOptionalAccount(database, named);
  if (found === undefined) throw new UsageError('Give --account or --email.');
  return found;
}

/** Undefined if none is named. Throws UsageError for an address of someone who belongs to several, and GatewayError `not_found`. */
export async function findOptionalAccount(
  database: Database,
  { account, email }: NamedAccount,
): Promise<number | undefined> {
  if (account !== undefined && email !== undefined) throw new UsageError('Give --account or --email, not both.');
  if (email !== undefined) return accountOf(database, email);
  if (account === undefined) return undefined;
  const id = readId(account, '--account');
  const found = await database.db.select({ id: accounts.id }).from(accounts).where(eq(accounts.id, id));
  if (found.length === 0) throw new GatewayError('not_found', `There is no account ${id}.`, { param: 'account' });
  return id;
}

/** Throws UsageError. */
export function readId(text: string, option: string): number {
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new UsageError(`${option} must be a whole number above 0.`);
  return Number(text);
}

/** The only account that someone belongs to: for one of several, a payment or a key could be meant for another. */
async function accountOf({ db }: Database, email: string): Promise<number> {
  const user = await findUserByEmail(db, email);
  if (user === undefined) throw new GatewayError('not_found', `There is no user ${email}.`, { param: 'email' });
  const [account, ...others] = await listOrganizations(db, user.id);
  if (account === undefined) throw new GatewayError('not_found', `${email} belongs to no account.`, { param: 'email' });
  if (others.length === 0) return account.id;
  const names = [account, ...others].map(({ id, name }) => `${id} (${name})`).join(', ');
  throw new UsageError(`${email} belongs to several accounts: ${names}. Name one of them with --account instead.`);
}
