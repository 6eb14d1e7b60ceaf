/** Work that locks tables briefly. It must not block the postings: if it would have to wait, it tries again. */
import type { Sql, TransactionSql } from 'postgres';

/** A session that waits for a lock makes later ones wait behind it. */
export const lockTimeout = '1s';
const usualAttempts = 30;
const lockPauseMs = 1_000;

/** In a transaction, which is a savepoint inside another one. */
export function withShortLock(
  sql: Sql | TransactionSql,
  work: (transaction: TransactionSql) => Promise<void>,
): Promise<void> {
  const attempted = async (transaction: TransactionSql) => {
    await transaction`SELECT set_config('lock_timeout', ${lockTimeout}, true)`;
    await work(transaction);
  };
  return untilFree(async () => void (await ('savepoint' in sql ? sql.savepoint(attempted) : sql.begin(attempted))));
}

/** Repeats what gave up waiting for a lock. */
export async function untilFree(work: () => Promise<void>, attempts = usualAttempts): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (!gaveUpWaiting(error) || attempt === attempts) throw error;
      await Bun.sleep(lockPauseMs);
    }
  }
}

/** https://www.postgresql.org/docs/current/errcodes-appendix.html */
const lockNotAvailable = '55P03';

function gaveUpWaiting(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return ('code' in error && error.code === lockNotAvailable) || gaveUpWaiting(error.cause);
}
