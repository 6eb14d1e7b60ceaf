/**
 * Admin's connections to Postgres. `sql` is the driver, for batches and hand-written statements; `db` is Drizzle, for
 * everything else. Both use the same pool.
 *
 * Invariant: every wait for Postgres has a limit, both in the server and here, because a stopped or partitioned server
 * never closes a connection.
 */
import { drizzle, type PostgresJsDatabase } from 'drizzle-orm/postgres-js';
import postgres, { type Sql } from 'postgres';

export type Db = PostgresJsDatabase;
/** The argument of a transaction's body. A transaction begun inside it is a savepoint. */
export type Transaction = Parameters<Parameters<Db['transaction']>[0]>[0];
/** A drizzle database or a transaction of it. */
export type DbOrTransaction = Pick<Db, 'select' | 'insert' | 'update' | 'delete' | 'execute' | 'with' | '$with'>;

export interface Database {
  readonly db: Db;
  readonly sql: Sql;
  close(): Promise<void>;
}

export interface WaitLimits {
  /** For a connection that is being made. */
  readonly connectSeconds: number;
  /** For acquiring a pooled connection and getting the response; then for each further chunk of the response. */
  readonly responseSeconds: number;
  /** Measured by Postgres, so that a slow statement ends before its connection is abandoned. */
  readonly statementMs: number;
}

/** For work that a caller waits for: the API responds within five seconds, even if Postgres does not. */
export const shortWaits: WaitLimits = { connectSeconds: 3, responseSeconds: 4, statementMs: 3_500 };
/** For workers and commands, which book batches and read whole tables. */
export const longWaits: WaitLimits = { connectSeconds: 4, responseSeconds: 35, statementMs: 30_000 };
/** For statements that read millions of rows before they respond. */
export const scanWaits: WaitLimits = { connectSeconds: 4, responseSeconds: 605, statementMs: 600_000 };

const reconnectSecondsMax = 0.5;
const closeTimeoutSeconds = 5;
const idleInTransactionTimeoutMs = 30_000;
/** How often Postgres looks whether the client of a running statement is still there. */
const clientCheckMs = 5_000;

export interface DatabaseOptions {
  /** At most, of the pool. */
  readonly connections?: number;
  readonly waits?: WaitLimits;
  /** Is called with each statement that is sent, and its parameters. */
  readonly onStatement?: (statement: string, parameters: readonly unknown[]) => void;
}

export function connectDatabase(
  url: string,
  { connections = 8, waits = longWaits, onStatement }: DatabaseOptions = {},
): Database {
  const connection = {
    application_name: 'gateway-admin',
    statement_timeout: waits.statementMs,
    idle_in_transaction_session_timeout: idleInTransactionTimeoutMs,
    client_connection_check_interval: clientCheckMs,
  };
  const debug =
    onStatement && ((_: number, statement: string, parameters: unknown[]) => onStatement(statement, parameters));
  const sql = openPool(url, waits, { max: connections, connection, types: { date, json }, ...(debug && { debug }) });
  return {
    db: drizzle(withOptionsOfItsOwn(sql)),
    sql,
    close: () => sql.end({ timeout: closeTimeoutSeconds }),
  };
}

/** Drizzle hands in dates and JSON as text. The driver would make JSON of that text, and lose the microseconds of a date. */
const date = {
  to: 1184,
  from: [1082, 1114, 1184],
  serialize: (value: Date | string) => (value instanceof Date ? value.toISOString() : value),
  parse: (text: string) => new Date(text),
};
const json = {
  to: 114,
  from: [114, 3802],
  serialize: (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value)),
  parse: (text: string): unknown => JSON.parse(text),
};

/** Drizzle removes the parsers and serializers of dates and JSON from its client's options. It does so to a copy here. */
function withOptionsOfItsOwn(sql: Sql): Sql {
  const { options } = sql;
  const copy = { ...options, parsers: { ...options.parsers }, serializers: { ...options.serializers } };
  return new Proxy(sql, {
    get: (client, name) => (name === 'options' ? copy : Reflect.get(client, name)),
  });
}

/** A pool of the driver. Throws if the driver lacks the patch of `local/npm/patch-driver.mjs`. */
export function openPool(
  url: string,
  waits: WaitLimits,
  options: postgres.Options<Record<string, postgres.PostgresType>>,
): Sql {
  // The driver's types lack these two options. Statements are not pipelined on one connection.
  const unknownToTypes = { answer_timeout: waits.responseSeconds, max_pipeline: 0 };
  const pool = postgres(url, {
    ...unknownToTypes,
    connect_timeout: waits.connectSeconds,
    // By default the driver waits up to 20 seconds before it reconnects, and nothing would be booked for that long.
    backoff: () => (0.5 + Math.random() / 2) * reconnectSecondsMax,
    onnotice: () => {},
    ...options,
  });
  if (!('answer_timeout' in pool.options)) {
    throw new Error('The Postgres driver is not patched: run `node local/npm/patch-driver.mjs`.');
  }
  return pool;
}
