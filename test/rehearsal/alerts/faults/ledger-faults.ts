/** Postgres that is stopped, or whose rows are locked by a transaction that is never ended. */
import postgres from 'postgres';
import { makePartitions, partitionOf, partitionsFrom } from '../../../../admin/database/partitions.ts';
import { postCredit } from '../../../../admin/ledger/post-credit.ts';
import { parseUsd } from '../../../../shared/money.ts';
import type { Product } from '../product/product.ts';
import { type Fault, slowMachine } from './fault.ts';
import { fillReplayBuffer } from './flood.ts';

export const ledgerFaults: readonly Fault[] = [
  {
    name: 'Postgres is stopped',
    fires: ['WorkerFailing', 'AdminServerErrors', 'LagUnknown'],
    mayFire: ['UsageNotBooked'],
    // Two minutes until the queues count as unread.
    firesWithinMs: 240_000,
    begin: async ({ postgres: server }) => {
      await server.stop();
      return () => server.start();
    },
  },
  {
    name: 'a forgotten transaction locks the ledger, for 50,000 charges',
    fires: ['UsageNotBooked', 'ReplayBufferFilling'],
    mayFire: [...slowMachine, 'WorkerFailing'],
    firesWithinMs: 150_000,
    begin: async (product) => {
      const unlock = await inTransaction(product, 'LOCK TABLE usage_events IN SHARE MODE');
      await fillReplayBuffer(product);
      return unlock;
    },
  },
  {
    name: 'a forgotten transaction locks a credit on its way to Redis',
    fires: ['OutboxNotDelivered'],
    mayFire: ['LedgerViolations', 'EventLoopStops'],
    begin: async (product) => {
      const { database, admins } = product;
      const { accountId } = await product.openAccount();
      // Between the credit and the lock, no admin may deliver it.
      for (const { pid } of admins) process.kill(pid, 'SIGSTOP');
      try {
        const payment = { type: 'payment', amountNano: parseUsd('1'), reason: 'test' } as const;
        await postCredit(database.db, { accountId, ...payment, idempotencyKey: crypto.randomUUID() });
        const undelivered = `FROM outbox WHERE account_id = ${accountId} AND delivered_at IS NULL`;
        await database.sql.unsafe(
          `UPDATE outbox SET created_at = now() - interval '2 minutes' WHERE id IN (SELECT id ${undelivered})`,
        );
        return await inTransaction(product, `SELECT id ${undelivered} FOR UPDATE`);
      } finally {
        for (const { pid } of admins) process.kill(pid, 'SIGCONT');
      }
    },
  },
  {
    name: 'a forgotten transaction locks the reconciliations, for an hour',
    fires: ['ReconciliationStale'],
    mayFire: ['WorkerFailing'],
    begin: async (product) => {
      await product.database.sql`UPDATE reconciliations SET finished_at = finished_at - interval '1 hour'`;
      return inTransaction(product, 'LOCK TABLE reconciliations IN SHARE MODE');
    },
  },
  {
    name: 'the partitions of the coming months are dropped by hand',
    fires: ['PartitionsMissing'],
    begin: async ({ database: { sql } }) => {
      const now = new Date();
      const coming = partitionsFrom(now).filter(({ name, parent }) => name !== partitionOf(parent, now));
      for (const { name } of coming) await sql`DROP TABLE ${sql(name)}`;
      return () => makePartitions(sql);
    },
  },
  {
    name: 'months of last year were not sealed',
    fires: ['MonthNotSealed'],
    begin: async ({ database: { sql } }) => {
      const now = new Date();
      const { made } = await makePartitions(sql, new Date(Date.UTC(now.getUTCFullYear() - 1, now.getUTCMonth())));
      return async () => {
        for (const name of made) await sql`DROP TABLE ${sql(name)}`;
      };
    },
  },
];

/** Resolves with what ends the transaction, whose connection has no time limits. */
async function inTransaction({ postgres: server }: Product, statement: string): Promise<() => Promise<void>> {
  const client = postgres(server.url, { max: 1, onnotice: () => {} });
  const connection = await client.reserve();
  await connection`BEGIN`;
  await connection.unsafe(statement);
  return async () => {
    await connection`ROLLBACK`;
    connection.release();
    await client.end({ timeout: 5 });
  };
}
