/** Statements of a test's own database that wait for a lock; other test files have theirs on the same server. */
import type { Sql } from 'postgres';
import { guardTimeoutMs, waitFor } from './account-view.ts';

/** Resolves once so many statements wait for locks that others hold. */
export async function untilWaitingForLock(sql: Sql, statements = 1): Promise<void> {
  await waitFor(`${statements} to wait for a lock`, guardTimeoutMs, async () => {
    const waiting = await sql`
      SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
    return waiting.length >= statements;
  });
}
