/**
 * Sign-ins with the identity provider of an organization, from the browser's way there to its way back. A sign-in is bound to the
 * browser by a cookie, works once, and ends after ten minutes.
 */
import { and, eq, gt, isNull, sql } from 'drizzle-orm';
import { randomNonce, randomPKCECodeVerifier, randomState } from 'openid-client';
import { GatewayError } from '../../../shared/errors.ts';
import type { Language } from '../../../shared/languages.ts';
import type { Caller } from '../../auth/authorize.ts';
import type { User } from '../../auth/create-user.ts';
import { parseEmail } from '../../auth/email-address.ts';
import type { PasswordHasher } from '../../auth/passwords/password-hasher.ts';
import { type IssuedToken, issueRefreshToken } from '../../auth/sessions/refresh-tokens.ts';
import { generateToken, hashToken } from '../../auth/sessions/secret-token.ts';
import type { AdminConfig } from '../../config/admin.ts';
import type { Db } from '../../database/connect.ts';
import { refuseBlocked } from '../../database/rows/account-state.ts';
import { oidcProviders, oidcSignIns } from '../../database/tables/sign-in.ts';
import type { SessionClient } from '../../http/request/caller-address.ts';
import type { Actor } from '../../operations/audit/record-action.ts';
import { findOwner } from './domains.ts';
import { findPerson } from './find-person.ts';
import { authorizationUrl, connectProvider, readIdentity, signInFailed } from './identity-provider.ts';
import { readProvider } from './provider-settings.ts';

export interface SignInServices {
  readonly db: Db;
  readonly passwords: PasswordHasher;
  readonly config: Pick<AdminConfig, 'keyPeppers' | 'oidcIssuers' | 'publicUrl'>;
}

export const signInMinutes = 10;

/** Where providers send browsers back to. */
export const redirectUriOf = ({ publicUrl }: Pick<AdminConfig, 'publicUrl'>) => `${publicUrl}/api/auth/oidc/callback`;

export interface BegunSignIn {
  /** Where the browser is sent. */
  readonly url: string;
  /** The value of the cookie that binds the sign-in to the browser. */
  readonly browser: string;
}

export interface Returning {
  readonly state: string;
  /** With its question mark. */
  readonly query: string;
  /** Of the cookie. */
  readonly browser: string | undefined;
  readonly client: SessionClient;
  readonly language: Language;
  readonly actor: Omit<Actor, 'name' | 'userId'>;
}

/** `test` if it was one: nobody is logged in by it. */
export type SignedIn =
  | { readonly kind: 'test' }
  | { readonly kind: 'session'; readonly user: User; readonly issued: IssuedToken };

/** For someone at the log-in page. Throws GatewayError `not_found` or `identity_provider_unavailable`. */
export async function beginSignIn(services: SignInServices, email: string): Promise<BegunSignIn> {
  const address = parseEmail(email);
  const accountId = await findOwner(services.db, domainOf(address));
  if (accountId === undefined) throw noSingleSignOn();
  return begin(services, accountId, null);
}

/** For an owner who tests the settings. Throws GatewayError `not_found` or `identity_provider_unavailable`. */
export function beginTest(services: SignInServices, { accountId, id }: Caller): Promise<BegunSignIn> {
  return begin(services, accountId, id);
}

async function begin(services: SignInServices, accountId: number, testedBy: number | null): Promise<BegunSignIn> {
  const { db, config } = services;
  const settings = await readProvider(db, config, accountId);
  if (settings === undefined) throw noSingleSignOn();
  const provider = await connectProvider(config, settings);
  const [state, nonce, codeVerifier, browser] = [
    randomState(),
    randomNonce(),
    randomPKCECodeVerifier(),
    generateToken(),
  ];
  const url = await authorizationUrl(provider, { state, nonce, codeVerifier, redirectUri: redirectUriOf(config) });
  await db.insert(oidcSignIns).values({
    ...{ accountId, nonce, codeVerifier, testedBy },
    stateHash: hashToken(state),
    browserHash: hashToken(browser),
    expiresAt: new Date(Date.now() + signInMinutes * 60_000),
  });
  return { url, browser };
}

/**
 * Throws GatewayError `sign_in_failed`, `identity_provider_unavailable` or `account_blocked`. Keys that a new proof of an address
 * has deactivated are refused once the outbox is delivered.
 */
export async function completeSignIn(services: SignInServices, returning: Returning): Promise<SignedIn> {
  const { db, config, passwords } = services;
  const { state, query, client, language, actor } = returning;
  const pending = await takeSignIn(db, returning);
  const { accountId, nonce, codeVerifier, testedBy } = pending;
  const settings = await readProvider(db, config, accountId);
  if (settings === undefined) throw signInFailed('removed', 'This organization no longer has an identity provider.');
  const provider = await connectProvider(config, settings);
  const redirectUri = redirectUriOf(config);
  const identity = await readIdentity(provider, { state, nonce, codeVerifier, redirectUri }, query);
  if (testedBy !== null) {
    const { issuer, clientId } = settings;
    await db
      .update(oidcProviders)
      .set({ testedAt: sql`now()` })
      .where(
        and(
          eq(oidcProviders.accountId, accountId),
          eq(oidcProviders.issuer, issuer),
          eq(oidcProviders.clientId, clientId),
        ),
      );
    return { kind: 'test' };
  }
  // Nobody knows this password; who wants one resets it.
  const passwordHash = await passwords.hash(generateToken());
  return db.transaction(async (transaction) => {
    await refuseBlocked(transaction, accountId);
    const user = await findPerson(transaction, { accountId, identity, passwordHash, language, actor });
    const session = {
      user,
      accountId,
      oidcAccountId: accountId,
      client,
      refusal: signInFailed('begin_again', 'Begin again.'),
    };
    return { kind: 'session', user, issued: await issueRefreshToken(transaction, session) };
  });
}

/** It is used up, whatever becomes of it. */
async function takeSignIn(db: Db, { state, browser }: Pick<Returning, 'state' | 'browser'>) {
  const [taken] = await db
    .update(oidcSignIns)
    .set({ usedAt: sql`now()` })
    .where(
      and(
        eq(oidcSignIns.stateHash, hashToken(state)),
        eq(oidcSignIns.browserHash, hashToken(browser ?? '')),
        isNull(oidcSignIns.usedAt),
        gt(oidcSignIns.expiresAt, sql`now()`),
      ),
    )
    .returning();
  if (taken === undefined)
    throw signInFailed('begin_again', 'This sign-in has expired, or was begun in another browser. Begin again.');
  return taken;
}

export const noSingleSignOn = () =>
  new GatewayError('not_found', 'No organization has single sign-on for this address.', { param: 'email' });

const domainOf = (email: string) => email.slice(email.lastIndexOf('@') + 1).toLowerCase();
