/** The active sessions of a user: families of refresh tokens with one that can still be used. */
import { sql } from 'drizzle-orm';
import { GatewayError } from '../../../shared/errors.ts';
import type { DbOrTransaction } from '../../database/connect.ts';

export interface ActiveSession {
  readonly id: string;
  readonly beganAt: Date;
  /** When its newest tokens were issued. */
  readonly refreshedAt: Date;
  readonly expiresAt: Date;
  readonly address: string | null;
  readonly userAgent: string | null;
}

/** A client that logs in for each request has far more. */
export const sessionsMax = 100;

/** Those that were used last come first. */
export async function listSessions(db: DbOrTransaction, userId: number): Promise<ActiveSession[]> {
  const rows = await db.execute<ActiveSession & Record<string, unknown>>(sql`
    SELECT family AS id, coalesce(began_at, created_at) AS "beganAt", created_at AS "refreshedAt",
      expires_at AS "expiresAt", address, user_agent AS "userAgent"
    FROM refresh_tokens
    WHERE user_id = ${userId} AND used_at IS NULL AND revoked_at IS NULL AND expires_at > now()
    ORDER BY created_at DESC, id DESC LIMIT ${sessionsMax}`);
  return [...rows];
}

/** Throws GatewayError `not_found` for a session of another user, too. */
export async function refuseForeignSession(
  db: DbOrTransaction,
  { sessionId, userId }: { sessionId: string; userId: number },
): Promise<void> {
  const [found] = await db.execute(sql`
    SELECT 1 FROM refresh_tokens WHERE family = ${sessionId} AND user_id = ${userId} AND revoked_at IS NULL LIMIT 1`);
  if (found === undefined) throw sessionNotFound();
}

export const sessionNotFound = () =>
  new GatewayError('not_found', 'Unknown session, or it has ended.', { param: 'sessionId' });
