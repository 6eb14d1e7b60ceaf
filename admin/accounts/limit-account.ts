/** Changes the rate limits that all keys of an account share. They take effect once the outbox is delivered. */
import { eq } from 'drizzle-orm';
import { type RateLimitName, rateLimitsOf } from '../../shared/limits/rate-limits.ts';
import type { Db } from '../database/connect.ts';
import { type Account, lockAccount } from '../database/rows/lock-account.ts';
import { accounts } from '../database/tables/accounts.ts';
import { announceKeysOf } from '../keys/announce-key.ts';
import { type Actor, recordAction } from '../operations/audit/record-action.ts';

export type AccountLimits = Pick<Account, RateLimitName>;

export interface LimitInput {
  readonly accountId: number;
  /** An absent field stays as it is; null means the gateway's default, 0 no limit. */
  readonly change: Partial<AccountLimits>;
  readonly reason: string | undefined;
}

/** Throws GatewayError `not_found`. */
export function limitAccount(db: Db, actor: Actor, { accountId, change, reason }: LimitInput): Promise<void> {
  return db.transaction(async (transaction) => {
    const before = rateLimitsOf(await lockAccount(transaction, accountId));
    const after = { ...before, ...change };
    await transaction.update(accounts).set(after).where(eq(accounts.id, accountId));
    await announceKeysOf(transaction, { accountId });
    const subject = `account ${accountId}`;
    await recordAction(transaction, actor, { action: 'account.limits', subject, accountId, reason, before, after });
  });
}
