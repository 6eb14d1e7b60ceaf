/** Recovery codes: ten, each of which replaces the second factor once. Only their hashes are stored. */
import { and, count, eq, isNull } from 'drizzle-orm';
import type { DbOrTransaction, Transaction } from '../../database/connect.ts';
import { recoveryCodes } from '../../database/tables/sign-in.ts';
import { hashToken } from '../sessions/secret-token.ts';

const codesCount = 10;
/** Without letters and digits that look alike. 32 of them: 5 bits each, 80 bits a code. */
const alphabet = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ';
const codeLength = 16;
const groupLength = 4;

/** `K7QH-2M9X-…`: four groups of four. */
function generateCode(): string {
  const letters = [...crypto.getRandomValues(new Uint8Array(codeLength))].map((byte) => alphabet.charAt(byte % 32));
  return (letters.join('').match(new RegExp(`.{${groupLength}}`, 'g')) ?? []).join('-');
}

/** As people type them. */
const normalize = (code: string) => code.toUpperCase().replace(/[\s-]/g, '');

/** Whether it can be a recovery code, rather than one of an authenticator app. */
export const looksLikeRecoveryCode = (code: string) => normalize(code).length === codeLength;

/** Returns new ones; the former are void. */
export async function replaceRecoveryCodes(transaction: Transaction, userId: number): Promise<string[]> {
  await removeRecoveryCodes(transaction, userId);
  const codes = Array.from({ length: codesCount }, generateCode);
  await transaction
    .insert(recoveryCodes)
    .values(codes.map((code) => ({ userId, codeHash: hashToken(normalize(code)) })));
  return codes;
}

/** Whether it was one of the user's, and unused. */
export async function useRecoveryCode(transaction: Transaction, userId: number, code: string): Promise<boolean> {
  const used = await transaction
    .update(recoveryCodes)
    .set({ usedAt: new Date() })
    .where(
      and(
        eq(recoveryCodes.userId, userId),
        eq(recoveryCodes.codeHash, hashToken(normalize(code))),
        isNull(recoveryCodes.usedAt),
      ),
    )
    .returning({ id: recoveryCodes.id });
  return used.length > 0;
}

export async function countRecoveryCodes(db: DbOrTransaction, userId: number): Promise<number> {
  const [row] = await db
    .select({ left: count() })
    .from(recoveryCodes)
    .where(and(eq(recoveryCodes.userId, userId), isNull(recoveryCodes.usedAt)));
  return row?.left ?? 0;
}

export async function removeRecoveryCodes(transaction: Transaction, userId: number): Promise<void> {
  await transaction.delete(recoveryCodes).where(eq(recoveryCodes.userId, userId));
}
