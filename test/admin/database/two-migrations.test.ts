/** A program that waits for another one's migration does not stand in its way. */
import { expect, test } from 'bun:test';
import { numberedLocks } from '../../../admin/database/advisory-locks.ts';
import { migrateDatabase } from '../../../admin/database/migrate.ts';
import { guardTimeoutMs, waitFor } from '../../harness/account-view.ts';
import { openLedger } from '../ledger/ledger.ts';

test('an index is built without a lock while another program waits to migrate', async () => {
  const ledger = await openLedger();
  const first = await ledger.sql.reserve();
  const { number } = numberedLocks.migration;
  await first`SELECT pg_advisory_lock(${numberedLocks.migration.number})`;
  const second = migrateDatabase(ledger.url);
  await waitFor('the second program', guardTimeoutMs, async () => {
    const asking = await ledger.sql`
      SELECT FROM pg_stat_activity
      WHERE datname = current_database() AND query LIKE '%advisory_lock%' AND pid <> pg_backend_pid()
        AND query NOT LIKE '%pg_stat_activity%' AND pid <> (SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND granted
          AND objid = ${number} AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))`;
    return asking.length === 1;
  });
  await first`CREATE INDEX CONCURRENTLY of_test ON mails (id)`;
  await first`SELECT pg_advisory_unlock(${numberedLocks.migration.number})`;
  await second;
  first.release();
  expect(await ledger.sql`SELECT FROM pg_indexes WHERE indexname = 'of_test'`).toHaveLength(1);
  await ledger.close();
});
