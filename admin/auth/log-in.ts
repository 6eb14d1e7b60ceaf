/**
 * Checks e-mail and password. An unknown e-mail and a wrong password get the same response after the same work, so the
 * response does not reveal who has an account.
 */
import { GatewayError } from '../../shared/errors.ts';
import type { Db } from '../database/connect.ts';
import type { User } from './create-user.ts';
import { findUserByEmail } from './find-user.ts';
import type { LoginProtection } from './login-protection.ts';

interface LoginServices extends Pick<LoginProtection, 'passwords' | 'logins'> {
  readonly db: Db;
}

export interface Credentials {
  readonly email: string;
  readonly password: string;
  /** The client's address, for the throttle. */
  readonly address: string;
}

/** Throws GatewayError `invalid_credentials`, `too_many_attempts` or `overloaded`. */
export async function logIn(services: LoginServices, credentials: Credentials): Promise<User> {
  await services.logins.begin(credentials);
  const user = await findVerified(services, credentials).catch(async (error: unknown) => {
    await services.logins.cancelled(credentials);
    throw error;
  });
  if (user === undefined) throw wrongCredentials();
  await services.logins.succeeded(credentials);
  return user;
}

async function findVerified({ db, passwords }: LoginServices, credentials: Credentials): Promise<User | undefined> {
  const user = await findUserByEmail(db, credentials.email);
  const matches = await passwords.verify(credentials.password, user?.passwordHash);
  return matches ? user : undefined;
}

export const wrongCredentials = () => new GatewayError('invalid_credentials', 'E-mail and password do not match.');
