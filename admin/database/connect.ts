/**
 * The two Postgres clients of admin: `sql` for batches and hand-written statements, `db` (drizzle) for everything else.
 * They are separate pools because drizzle switches its client's JSON and date serialisers off.
 */
import { drizzle, type PostgresJsDatabase } from 'drizzle-orm/postgres-js';
import postgres, { type Sql } from 'postgres';

export type Db = PostgresJsDatabase;
/** What a transaction's body is given. A transaction that begins inside is a savepoint. */
export type Transaction = Parameters<Parameters<Db['transaction']>[0]>[0];
/** A drizzle database or a transaction of it. */
export type DbOrTransaction = Pick<Db, 'select' | 'insert' | 'update' | 'delete' | 'execute'>;

export interface Database {
  readonly db: Db;
  readonly sql: Sql;
  close(): Promise<void>;
}

const reconnectSecondsMax = 0.5;
const closeTimeoutSeconds = 5;
const statementTimeoutMs = 30_000;
const idleInTransactionTimeoutMs = 30_000;

/**
 * For every connection. By itself the driver waits up to 20 seconds before it tries again, so that after an outage nothing
 * would be booked for as long.
 */
export const clientOptions = {
  connect_timeout: 5,
  backoff: () => (0.5 + Math.random() / 2) * reconnectSecondsMax,
  onnotice: () => {},
};

export function connectDatabase(url: string, options: { connections?: number } = {}): Database {
  const connect = (connections: number) =>
    postgres(url, {
      ...clientOptions,
      max: connections,
      connection: {
        application_name: 'gateway-admin',
        statement_timeout: statementTimeoutMs,
        idle_in_transaction_session_timeout: idleInTransactionTimeoutMs,
      },
    });
  const connections = options.connections ?? 8;
  const drizzleClient = connect(connections);
  const sql = connect(connections);
  return {
    db: drizzle(drizzleClient),
    sql,
    close: async () => {
      await Promise.all([
        drizzleClient.end({ timeout: closeTimeoutSeconds }),
        sql.end({ timeout: closeTimeoutSeconds }),
      ]);
    },
  };
}
