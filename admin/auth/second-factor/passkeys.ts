/**
 * Passkeys (WebAuthn, level 3), verified by @simplewebauthn/server. The relying party is the host of the dashboard, and each is
 * discoverable where the authenticator can do that, so that it logs in without an e-mail address or a password.
 */
import {
  type AuthenticationResponseJSON,
  generateAuthenticationOptions,
  generateRegistrationOptions,
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  type RegistrationResponseJSON,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server';
import { and, asc, count, eq } from 'drizzle-orm';
import { GatewayError } from '../../../shared/errors.ts';
import type { DbOrTransaction, Transaction } from '../../database/connect.ts';
import { passkeys } from '../../database/tables/sign-in.ts';
import type { User } from '../create-user.ts';
import { type Challenge, challengeLifeMs } from './challenges.ts';

export type Passkey = typeof passkeys.$inferSelect;

/** Where the dashboard is, and what the gateway calls itself. */
export interface Site {
  readonly publicUrl: string;
  readonly name: string;
}

/** Of one user. */
export const passkeysMax = 20;

type Transports = RegistrationResponseJSON['response']['transports'];

const relyingParty = ({ publicUrl }: Site) => ({
  expectedOrigin: new URL(publicUrl).origin,
  expectedRPID: new URL(publicUrl).hostname,
});

/** In the order in which they were added. */
export function listPasskeys(db: DbOrTransaction, userId: number): Promise<Passkey[]> {
  return db.select().from(passkeys).where(eq(passkeys.userId, userId)).orderBy(asc(passkeys.id));
}

/** For `navigator.credentials.create()`. */
export async function creationOptions(
  db: DbOrTransaction,
  site: Site,
  { user, webauthnChallenge }: { user: User; webauthnChallenge: string },
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  const known = await listPasskeys(db, user.id);
  return generateRegistrationOptions({
    rpName: site.name,
    rpID: relyingParty(site).expectedRPID,
    userName: user.email,
    userDisplayName: user.displayName ?? user.email,
    userID: new TextEncoder().encode(`user ${user.id}`),
    challenge: Buffer.from(webauthnChallenge, 'base64url'),
    timeout: challengeLifeMs,
    attestationType: 'none',
    excludeCredentials: known.map(descriptorOf),
    authenticatorSelection: { residentKey: 'preferred', userVerification: 'preferred' },
  });
}

/** Throws GatewayError `invalid_second_factor`, `passkey_exists` or `too_many_passkeys`. The user is locked. */
export async function addPasskey(
  transaction: Transaction,
  site: Site,
  input: { userId: number; name: string; webauthnChallenge: string; response: RegistrationResponseJSON },
): Promise<Passkey> {
  const { userId, name, webauthnChallenge: expectedChallenge, response } = input;
  const verified = await verifyRegistrationResponse({
    ...relyingParty(site),
    response,
    expectedChallenge,
    requireUserVerification: false,
  }).catch((cause: unknown) => Promise.reject(badPasskey(cause)));
  if (!verified.verified) throw badPasskey();
  const [has] = await transaction.select({ count: count() }).from(passkeys).where(eq(passkeys.userId, userId));
  if (has !== undefined && has.count >= passkeysMax) throw tooManyPasskeys();
  const { id: credentialId, publicKey, counter: signCount } = verified.registrationInfo.credential;
  const transports = response.response.transports ?? [];
  const key = { publicKey: Buffer.from(publicKey).toString('base64url'), signCount, transports };
  const [added] = await transaction
    .insert(passkeys)
    .values({ userId, name, credentialId, ...key })
    .onConflictDoNothing()
    .returning();
  if (added === undefined) throw passkeyExists();
  return added;
}

/** For `navigator.credentials.get()`. Without a user, the authenticator offers those that it has for this site. */
export async function requestOptions(
  db: DbOrTransaction,
  site: Site,
  { userId, webauthnChallenge }: Pick<Challenge, 'userId' | 'webauthnChallenge'>,
): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const known = userId === null ? [] : await listPasskeys(db, userId);
  return generateAuthenticationOptions({
    rpID: relyingParty(site).expectedRPID,
    challenge: Buffer.from(webauthnChallenge, 'base64url'),
    timeout: challengeLifeMs,
    allowCredentials: known.map(descriptorOf),
    userVerification: userId === null ? 'required' : 'preferred',
  });
}

/** The passkey that an authenticator names; its answer is not verified yet. */
export async function findPasskey(db: DbOrTransaction, credentialId: string): Promise<Passkey | undefined> {
  const [found] = await db.select().from(passkeys).where(eq(passkeys.credentialId, credentialId));
  return found;
}

/**
 * Whether the answer is one of the user's passkeys to this challenge; if so, the passkey was used now. A passkey alone must have
 * verified its user, by a PIN, a fingerprint or the like. The user is locked.
 */
export async function takePasskey(
  transaction: Transaction,
  site: Site,
  { userId, challenge, response }: { userId: number; challenge: Challenge; response: AuthenticationResponseJSON },
): Promise<boolean> {
  const passkey = await findPasskey(transaction, response.id);
  if (passkey === undefined || passkey.userId !== userId) return false;
  const { credentialId: id, publicKey, signCount: counter, transports } = passkey;
  const verified = await verifyAuthenticationResponse({
    ...relyingParty(site),
    response,
    expectedChallenge: challenge.webauthnChallenge,
    requireUserVerification: challenge.userId === null,
    credential: {
      id,
      publicKey: new Uint8Array(Buffer.from(publicKey, 'base64url')),
      counter,
      transports: transports as NonNullable<Transports>,
    },
  }).catch(() => undefined);
  if (verified?.verified !== true) return false;
  await transaction
    .update(passkeys)
    .set({ signCount: verified.authenticationInfo.newCounter, lastUsedAt: new Date() })
    .where(eq(passkeys.id, passkey.id));
  return true;
}

/** Throws GatewayError `not_found`. */
export async function renamePasskey(db: DbOrTransaction, userId: number, id: number, name: string): Promise<Passkey> {
  const [renamed] = await db
    .update(passkeys)
    .set({ name })
    .where(and(eq(passkeys.id, id), eq(passkeys.userId, userId)))
    .returning();
  if (renamed === undefined) throw passkeyNotFound(id);
  return renamed;
}

/** Throws GatewayError `not_found`. */
export async function removePasskey(transaction: Transaction, userId: number, id: number): Promise<Passkey> {
  const [removed] = await transaction
    .delete(passkeys)
    .where(and(eq(passkeys.id, id), eq(passkeys.userId, userId)))
    .returning();
  if (removed === undefined) throw passkeyNotFound(id);
  return removed;
}

const descriptorOf = ({ credentialId: id, transports }: Passkey) => ({
  id,
  transports: transports as NonNullable<Transports>,
});

const badPasskey = (cause?: unknown) =>
  new GatewayError('invalid_second_factor', 'This passkey could not be verified. Try again.', {
    param: 'passkey',
    cause,
  });

export const passkeyNotFound = (id: number) =>
  new GatewayError('not_found', `You have no passkey ${id}.`, { param: 'id' });

export const passkeyExists = () => new GatewayError('passkey_exists', 'This passkey has been added already.');

export const tooManyPasskeys = () =>
  new GatewayError('too_many_passkeys', `One person can have at most ${passkeysMax} passkeys.`);
