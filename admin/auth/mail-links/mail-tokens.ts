/** Tokens of mailed links: issued, read and used up. Each proves that its holder reads the mail of one address. */
import { and, eq, gt, isNull, sql } from 'drizzle-orm';
import { GatewayError } from '../../../shared/errors.ts';
import type { DbOrTransaction } from '../../database/connect.ts';
import { mailTokens } from '../../database/tables/mail-tokens.ts';
import { generateToken, hashToken } from '../sessions/secret-token.ts';

export type MailTokenPurpose = (typeof mailTokens.$inferSelect)['purpose'];

export interface MailProof {
  readonly userId: number;
  readonly email: string;
  /** The account that the link is about; null for the user's home. */
  readonly accountId?: number | null;
}

export interface IssuedMailToken {
  readonly token: string;
  readonly expiresAt: Date;
}

const hourMs = 3600 * 1000;
const lifeMs: Record<MailTokenPurpose, number> = {
  verify_email: 48 * hourMs,
  reset_password: hourMs,
  verify_alert_address: 48 * hourMs,
};

export async function issueMailToken(
  transaction: DbOrTransaction,
  input: MailProof & { purpose: MailTokenPurpose },
): Promise<IssuedMailToken> {
  const token = generateToken();
  const expiresAt = new Date(Date.now() + lifeMs[input.purpose]);
  await transaction.insert(mailTokens).values({ ...input, tokenHash: hashToken(token), expiresAt });
  return { token, expiresAt };
}

const proof = { userId: mailTokens.userId, email: mailTokens.email, accountId: mailTokens.accountId };

/** Undefined if it is unknown, used or expired. It stays usable. */
export async function findMailToken(
  db: DbOrTransaction,
  purpose: MailTokenPurpose,
  token: string,
): Promise<MailProof | undefined> {
  const [found] = await db.select(proof).from(mailTokens).where(usable(purpose, token));
  return found;
}

/** The same, and uses it up. Of several calls at most one gets a proof: the row's lock decides. */
export async function useMailToken(
  transaction: DbOrTransaction,
  purpose: MailTokenPurpose,
  token: string,
): Promise<MailProof | undefined> {
  const [used] = await transaction
    .update(mailTokens)
    .set({ usedAt: sql`now()` })
    .where(usable(purpose, token))
    .returning(proof);
  return used;
}

/** Voids the user's outstanding links of this kind. */
export async function voidMailTokens(
  transaction: DbOrTransaction,
  { userId, purpose }: { userId: number; purpose: MailTokenPurpose },
): Promise<void> {
  await transaction
    .update(mailTokens)
    .set({ usedAt: sql`now()` })
    .where(and(eq(mailTokens.userId, userId), eq(mailTokens.purpose, purpose), isNull(mailTokens.usedAt)));
}

function usable(purpose: MailTokenPurpose, token: string) {
  return and(
    eq(mailTokens.tokenHash, hashToken(token)),
    eq(mailTokens.purpose, purpose),
    isNull(mailTokens.usedAt),
    gt(mailTokens.expiresAt, sql`now()`),
  );
}

/** The one error for every bad link, so that the cause is not disclosed. */
export function invalidLink(): GatewayError {
  return new GatewayError('invalid_link', 'This link is no longer valid. Request a new one.', { param: 'token' });
}
