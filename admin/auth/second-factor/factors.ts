/**
 * The second factors of a user: an authenticator app, passkeys, and recovery codes, which they have as long as they have one of the
 * others. With the first of them all other sessions end, so everyone who is logged in has passed it. Each change is mailed to the user
 * and written into the audit logs of their organizations.
 */
import { and, eq, inArray, isNull } from 'drizzle-orm';
import { GatewayError } from '../../../shared/errors.ts';
import type { Language } from '../../../shared/languages.ts';
import type { Db, DbOrTransaction, Transaction } from '../../database/connect.ts';
import { readSettings } from '../../database/rows/notification-settings.ts';
import { accounts, memberships, users } from '../../database/tables/accounts.ts';
import { factorChallenges, passkeys, totpFactors } from '../../database/tables/sign-in.ts';
import type { MailData } from '../../mail/mail.ts';
import { queueMail } from '../../mail/queue/queue-mail.ts';
import { type Actor, type AuditAction, recordAction } from '../../operations/audit/record-action.ts';
import type { Caller } from '../authorize.ts';
import type { User } from '../create-user.ts';
import { lockUser } from '../find-user.ts';
import { invalidToken } from '../sessions/access-tokens.ts';
import { revokeSessions } from '../sessions/revoke-sessions.ts';
import { confirmApp, readAppSince, removeApp } from './authenticator-app.ts';
import { endChallenge, lockChallenge, refuseForeign } from './challenges.ts';
import { addPasskey, listPasskeys, type Passkey, removePasskey, type Site } from './passkeys.ts';
import { countRecoveryCodes, removeRecoveryCodes, replaceRecoveryCodes } from './recovery-codes.ts';

export interface SecondFactors {
  /** When the authenticator app was set up; null without one. */
  readonly appSince: Date | null;
  readonly passkeys: readonly Passkey[];
  readonly recoveryCodesLeft: number;
}

/** Who changes their factors. */
export interface FactorChange {
  readonly caller: Caller;
  readonly actor: Actor;
  readonly language: Language;
}

export interface AddedFactor {
  /** Null if the user has codes already. */
  readonly recoveryCodes: readonly string[] | null;
}

type Change = MailData['sign_in_changed']['change'];

export async function readFactors(db: DbOrTransaction, userId: number): Promise<SecondFactors> {
  return {
    appSince: (await readAppSince(db, userId)) ?? null,
    passkeys: await listPasskeys(db, userId),
    recoveryCodesLeft: await countRecoveryCodes(db, userId),
  };
}

/** Throws GatewayError `invalid_second_factor`, `authenticator_exists`, and `not_found` if no app is being set up. */
export function addApp(
  db: Db,
  { keyPeppers, code, ...change }: FactorChange & { code: string; keyPeppers: readonly string[] },
): Promise<AddedFactor> {
  return changing(db, change, async (transaction, user) => {
    if (!(await confirmApp(transaction, { userId: user.id, code, keyPeppers, nowMs: Date.now() }))) throw wrongCode();
    return added(transaction, user, change, 'app_added');
  });
}

/** Throws GatewayError `challenge_expired`, `invalid_second_factor`, `passkey_exists` or `too_many_passkeys`. */
export function addPasskeyTo(
  db: Db,
  site: Site,
  { challenge, name, response, ...change }: FactorChange & NewPasskey,
): Promise<AddedFactor & { readonly passkey: Passkey }> {
  return changing(db, change, async (transaction, user) => {
    const locked = await lockChallenge(transaction, 'add_passkey', challenge);
    refuseForeign(locked, user.id);
    const { id, webauthnChallenge } = locked;
    const passkey = await addPasskey(transaction, site, { userId: user.id, name, webauthnChallenge, response });
    await endChallenge(transaction, id, null);
    return { passkey, ...(await added(transaction, user, change, 'passkey_added')) };
  });
}

type NewPasskey = Pick<Parameters<typeof addPasskey>[2], 'name' | 'response'> & { readonly challenge: string };

/** Throws GatewayError `not_found`. */
export function removeAppOf(db: Db, change: FactorChange): Promise<void> {
  return changing(db, change, async (transaction, user) => {
    if (!(await removeApp(transaction, user.id))) throw noAuthenticator();
    await removed(transaction, user, change, 'app_removed');
  });
}

/** Throws GatewayError `not_found`. */
export function removePasskeyOf(db: Db, { id, ...change }: FactorChange & { id: number }): Promise<void> {
  return changing(db, change, async (transaction, user) => {
    await removePasskey(transaction, user.id, id);
    await removed(transaction, user, change, 'passkey_removed');
  });
}

/** Returns new codes; the former are void. Throws GatewayError `second_factor_missing`. */
export function replaceCodes(db: Db, change: FactorChange): Promise<string[]> {
  return changing(db, change, async (transaction, user) => {
    if (user.secondFactorAt === null) throw secondFactorMissing();
    const codes = await replaceRecoveryCodes(transaction, user.id);
    await report(transaction, { user, actor: change.actor, language: change.language, change: 'codes_replaced' });
    return codes;
  });
}

/**
 * For someone who has lost all of them, by an operator: none is left, and all sessions end. Keys of the sessions are refused once the
 * outbox is delivered. Throws GatewayError `second_factor_missing`.
 */
export function resetFactors(db: Db, actor: Actor, { user, reason }: { user: User; reason: string }): Promise<void> {
  return db.transaction(async (transaction) => {
    const locked = await lockUser(transaction, user.id);
    if (locked === undefined || locked.secondFactorAt === null) throw nothingToReset();
    await revokeSessions(transaction, { userId: user.id });
    await endFactors(transaction, actor, { user: locked, reason });
  });
}

/** The same for a user who is locked, and whose sessions have ended. */
export async function endFactors(
  transaction: Transaction,
  actor: Actor,
  { user, reason }: { user: User; reason: string },
): Promise<void> {
  await forgetFactors(transaction, [user.id]);
  const { language } = await readSettings(transaction, user.homeAccountId);
  await report(transaction, { user, actor, language, change: 'reset', reason });
}

/** All that the users, who are locked, can answer with: they have no second factor any more. */
export async function forgetFactors(transaction: Transaction, userIds: readonly number[]): Promise<void> {
  if (userIds.length === 0) return;
  await transaction.delete(totpFactors).where(inArray(totpFactors.userId, [...userIds]));
  await transaction.delete(passkeys).where(inArray(passkeys.userId, [...userIds]));
  await transaction.delete(factorChallenges).where(inArray(factorChallenges.userId, [...userIds]));
  for (const userId of userIds) await removeRecoveryCodes(transaction, userId);
  await transaction
    .update(users)
    .set({ secondFactorAt: null })
    .where(inArray(users.id, [...userIds]));
}

function changing<Result>(
  db: Db,
  { caller }: Pick<FactorChange, 'caller'>,
  change: (transaction: Transaction, user: User) => Promise<Result>,
): Promise<Result> {
  return db.transaction(async (transaction) => {
    const user = await lockUser(transaction, caller.id);
    if (user === undefined) throw invalidToken('The user of this access token no longer exists.');
    return change(transaction, user);
  });
}

async function added(
  transaction: Transaction,
  user: User,
  { caller, actor, language }: FactorChange,
  change: Change,
): Promise<AddedFactor> {
  const isFirst = user.secondFactorAt === null;
  await report(transaction, { user, actor, language, change, ...(isFirst && { action: 'second_factor.on' }) });
  if (!isFirst) return { recoveryCodes: null };
  await transaction.update(users).set({ secondFactorAt: new Date() }).where(eq(users.id, user.id));
  await revokeSessions(transaction, { userId: user.id, exceptSessionId: caller.sessionId });
  return { recoveryCodes: await replaceRecoveryCodes(transaction, user.id) };
}

async function removed(
  transaction: Transaction,
  user: User,
  { actor, language }: FactorChange,
  change: Change,
): Promise<void> {
  const { appSince, passkeys: left } = await readFactors(transaction, user.id);
  const isLast = appSince === null && left.length === 0;
  if (isLast) {
    await removeRecoveryCodes(transaction, user.id);
    await transaction.update(users).set({ secondFactorAt: null }).where(eq(users.id, user.id));
  }
  await report(transaction, { user, actor, language, change, ...(isLast && { action: 'second_factor.off' }) });
}

interface Report {
  readonly user: User;
  readonly actor: Actor;
  readonly language: Language;
  readonly change: Change;
  /** Its name in audit logs: `second_factor.change` by default. */
  readonly action?: AuditAction;
  readonly reason?: string;
}

async function report(
  transaction: Transaction,
  { user, actor, language, change, action, reason }: Report,
): Promise<void> {
  const joined = await transaction
    .select({ accountId: memberships.accountId })
    .from(memberships)
    .innerJoin(accounts, eq(accounts.id, memberships.accountId))
    .where(and(eq(memberships.userId, user.id), isNull(accounts.deletedAt)))
    .orderBy(memberships.accountId);
  for (const { accountId } of joined) {
    await recordAction(transaction, actor, {
      action: action ?? (change === 'reset' ? 'second_factor.reset' : 'second_factor.change'),
      subject: `user ${user.id}`,
      accountId,
      reason,
      after: { email: user.email, change },
    });
  }
  await mailChange(transaction, { user, language, change });
}

/** To the user, in case it was someone else. */
export async function mailChange(
  transaction: Transaction,
  { user, language, change }: Pick<Report, 'user' | 'language' | 'change'>,
): Promise<void> {
  const recoveryCodesLeft = await countRecoveryCodes(transaction, user.id);
  const data = { change, changedAt: new Date().toISOString(), recoveryCodesLeft };
  const { email: to, homeAccountId: accountId } = user;
  await queueMail(transaction, { kind: 'sign_in_changed', to, language, accountId, data });
}

export const wrongCode = () =>
  new GatewayError('invalid_second_factor', 'This code is wrong, or was used before.', { param: 'code' });

export const noAuthenticator = () => new GatewayError('not_found', 'You have no authenticator app.');

const nothingToReset = () => new GatewayError('second_factor_missing', 'This user has no second factor.');

export const secondFactorMissing = () =>
  new GatewayError('second_factor_missing', 'There is no second factor yet. Set up an authenticator app or a passkey.');
