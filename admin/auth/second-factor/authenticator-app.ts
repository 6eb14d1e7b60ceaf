/** The authenticator app of a user: set up with a secret, which counts once a code has shown that the app has it. */
import { and, eq, isNotNull } from 'drizzle-orm';
import { GatewayError } from '../../../shared/errors.ts';
import type { DbOrTransaction, Transaction } from '../../database/connect.ts';
import { totpFactors } from '../../database/tables/sign-in.ts';
import { openSecret, sealSecret } from '../sealed-secret.ts';
import { newTotpSecret, stepOfCode } from './totp.ts';

export interface CodeCheck {
  readonly userId: number;
  readonly code: string;
  readonly keyPeppers: readonly string[];
  readonly nowMs: number;
}

const purposeOf = (userId: number) => `authenticator app of user ${userId}`;

/** Returns the secret, in base32. One that was begun before is replaced. Throws GatewayError `authenticator_exists`. */
export async function beginApp(
  db: DbOrTransaction,
  { userId, keyPeppers }: Pick<CodeCheck, 'userId' | 'keyPeppers'>,
): Promise<string> {
  const secret = newTotpSecret();
  const sealedSecret = sealSecret({ keyPeppers }, purposeOf(userId), secret);
  const begun = await db
    .insert(totpFactors)
    .values({ userId, sealedSecret })
    .onConflictDoUpdate({
      target: totpFactors.userId,
      set: { sealedSecret, createdAt: new Date() },
      setWhere: eq(isNotNull(totpFactors.confirmedAt), false),
    })
    .returning({ userId: totpFactors.userId });
  if (begun.length === 0) throw authenticatorExists();
  return secret;
}

/** Whether the code is one of the app that is being set up, which counts from now on. The user is locked. */
export async function confirmApp(transaction: Transaction, check: CodeCheck): Promise<boolean> {
  const app = await findApp(transaction, check.userId);
  if (app === undefined) throw authenticatorNotBegun();
  if (app.confirmedAt !== null) throw authenticatorExists();
  const { text: secret } = openSecret(check, purposeOf(check.userId), app.sealedSecret);
  const lastStep = stepOfCode({ ...check, secret });
  if (lastStep === undefined) return false;
  await transaction
    .update(totpFactors)
    .set({ confirmedAt: new Date(check.nowMs), lastStep })
    .where(eq(totpFactors.userId, check.userId));
  return true;
}

/** Whether the code is right; if so, neither it nor an earlier one is accepted again. The user is locked. */
export async function takeAppCode(transaction: Transaction, check: CodeCheck): Promise<boolean> {
  const { userId } = check;
  const app = await findApp(transaction, userId);
  if (app === undefined || app.confirmedAt === null) return false;
  const { text: secret, isFormer } = openSecret(check, purposeOf(userId), app.sealedSecret);
  const step = stepOfCode({ ...check, secret });
  if (step === undefined || step <= (app.lastStep ?? 0)) return false;
  const sealedSecret = isFormer ? sealSecret(check, purposeOf(userId), secret) : app.sealedSecret;
  await transaction.update(totpFactors).set({ lastStep: step, sealedSecret }).where(eq(totpFactors.userId, userId));
  return true;
}

/** When it was set up; undefined without one. */
export async function readAppSince(db: DbOrTransaction, userId: number): Promise<Date | undefined> {
  return (await findApp(db, userId))?.confirmedAt ?? undefined;
}

/** Whether there was one. */
export async function removeApp(transaction: Transaction, userId: number): Promise<boolean> {
  const removed = await transaction
    .delete(totpFactors)
    .where(and(eq(totpFactors.userId, userId), isNotNull(totpFactors.confirmedAt)))
    .returning({ userId: totpFactors.userId });
  return removed.length > 0;
}

async function findApp(db: DbOrTransaction, userId: number) {
  const [app] = await db.select().from(totpFactors).where(eq(totpFactors.userId, userId));
  return app;
}

export const authenticatorExists = () =>
  new GatewayError('authenticator_exists', 'You have an authenticator app already. Remove it to set up another one.');

export const authenticatorNotBegun = () =>
  new GatewayError(
    'not_found',
    'No authenticator app is being set up. Begin with POST /api/profile/second-factor/app.',
  );
