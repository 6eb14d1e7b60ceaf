/**
 * The two Postgres clients of admin: `sql` for batches and hand-written statements, `db` (drizzle) for everything else.
 * They are separate pools because drizzle switches its client's JSON and date serialisers off.
 *
 * Invariant: every wait for Postgres has a limit, in the server and here: one that was stopped or cut off ends nothing.
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

export interface WaitLimits {
  /** For a connection that is being made. */
  readonly connectSeconds: number;
  /** For a connection of the pool and the answer together; later for each further piece of the answer. */
  readonly answerSeconds: number;
  /** By Postgres' clock, so that a slow statement ends before its connection is given up. */
  readonly statementMs: number;
}

/** For what somebody waits for: the API has answered after five seconds, whatever Postgres does. */
export const shortWaits: WaitLimits = { connectSeconds: 3, answerSeconds: 4, statementMs: 3_500 };
/** For workers and commands, which book batches and read whole tables. */
export const longWaits: WaitLimits = { connectSeconds: 4, answerSeconds: 35, statementMs: 30_000 };

const reconnectSecondsMax = 0.5;
const closeTimeoutSeconds = 5;
const idleInTransactionTimeoutMs = 30_000;

interface DatabaseOptions {
  /** Of each of the two pools. */
  readonly connections?: number;
  readonly waits?: WaitLimits;
}

export function connectDatabase(url: string, { connections = 8, waits = longWaits }: DatabaseOptions = {}): Database {
  const connection = {
    application_name: 'gateway-admin',
    statement_timeout: waits.statementMs,
    idle_in_transaction_session_timeout: idleInTransactionTimeoutMs,
  };
  const drizzleClient = openPool(url, waits, { max: connections, connection });
  const sql = openPool(url, waits, { max: connections, connection });
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

/** A pool of the driver. Throws where the driver lacks the patch of `local/patch-driver.mjs`. */
export function openPool(url: string, waits: WaitLimits, options: postgres.Options<Record<string, never>>): Sql {
  // The driver's types do not know these two. A statement does not wait behind another one on the same connection.
  const unknownToTypes = { answer_timeout: waits.answerSeconds, max_pipeline: 0 };
  const pool = postgres(url, {
    ...unknownToTypes,
    connect_timeout: waits.connectSeconds,
    // By itself the driver waits up to 20 seconds before it connects again, and nothing would be booked for as long.
    backoff: () => (0.5 + Math.random() / 2) * reconnectSecondsMax,
    onnotice: () => {},
    ...options,
  });
  if (!('answer_timeout' in pool.options)) {
    throw new Error('The Postgres driver is not patched: run `node local/patch-driver.mjs`.');
  }
  return pool;
}
