/** A ledger in its own database, charges to book in it, and a view of the books. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectDatabase, type Database, longWaits, type WaitLimits } from '../../../admin/database/connect.ts';
import { accounts } from '../../../admin/database/tables/accounts.ts';
import { UsageArchive } from '../../../admin/ledger/archive/usage-archive.ts';
import type { Charge } from '../../../admin/ledger/charges/read-usage-entry.ts';
import { createTestDatabase } from '../../harness/postgres.ts';
import { detailOf } from '../../harness/wallet/charge-detail.ts';

export interface TestLedger extends Database {
  readonly url: string;
  /** In a folder of its own. */
  readonly archive: UsageArchive;
  readonly archivePath: string;
  openAccount(): Promise<number>;
}

/** As a new installation has it; or not compact, as one that began with version 0.1.0. */
export async function openLedger({
  compact = true,
  waits = longWaits,
}: {
  compact?: boolean;
  waits?: WaitLimits;
} = {}): Promise<TestLedger> {
  const { url, drop } = await createTestDatabase();
  const path = await mkdtemp(join(tmpdir(), 'gateway-archive-'));
  const database = connectDatabase(url, { connections: 8, waits });
  await database.sql`UPDATE ledger_settings SET compact = ${compact}`;
  return {
    ...database,
    url,
    archive: new UsageArchive({ kind: 'folder', path }),
    archivePath: path,
    openAccount: async () => {
      const [account] = await database.db.insert(accounts).values({}).returning();
      if (account === undefined) throw new Error('an insert returned no account');
      return account.id;
    },
    close: async () => {
      await database.close();
      await drop();
      await rm(path, { recursive: true, force: true });
    },
  };
}

/** A final charge of 100 nano-dollars. */
export function chargeOf(accountId: number, change: Partial<Charge> = {}): Charge {
  return {
    kind: 'charge',
    requestId: Bun.randomUUIDv7(),
    accountId,
    keyId: 1,
    assignmentId: null,
    rank: 2,
    costNano: 100n,
    unchargedNano: 0n,
    detail: detailOf({
      deployment: 'test/chat',
      promptTokens: 3,
      cachedPromptTokens: 1,
      completionTokens: 5,
      reasoningTokens: 2,
      startedAtMs: Date.now(),
    }),
    epoch: 1,
    walletSeq: 1,
    walletSpentNano: 100n,
    chargedAt: new Date(),
    ...change,
  };
}

/** Both ways in which charges are booked. */
export const bookings = [
  ['as one row', { compact: true }],
  ['with heads and lines', { compact: false }],
] as const;

export interface Books {
  /** Account → balance. */
  readonly balances: ReadonlyMap<number, bigint>;
  /** Request → `rank:charged`. */
  readonly requests: ReadonlyMap<string, string>;
  readonly lines: number;
  /** Contradictions in the books; always expected to be empty. */
  readonly violations: readonly string[];
}

export async function readBooks({ sql }: Database): Promise<Books> {
  const balances = await sql<{ id: string; balance_nano: string }[]>`SELECT id, balance_nano FROM accounts ORDER BY id`;
  const requests = await sql<{ request_id: string; outcome: string }[]>`
    SELECT request_id, rank || ':' || charged_nano AS outcome FROM charged_requests`;
  const [lines] = await sql<{ count: string }[]>`SELECT count(*) FROM journal_lines WHERE book = 'wallet'`;
  const violations = await sql<{ what: string }[]>`
    SELECT 'journal ' || journal_id AS what FROM journal_lines GROUP BY journal_id HAVING sum(amount_nano) <> 0
    UNION ALL
    SELECT 'account ' || accounts.id FROM accounts LEFT JOIN journal_lines ON account_id = accounts.id
    GROUP BY accounts.id HAVING balance_nano <> coalesce(sum(amount_nano), 0)
    UNION ALL
    SELECT 'request ' || heads.request_id FROM charged_requests AS heads
    LEFT JOIN journal_lines AS lines ON lines.request_id = heads.request_id
    GROUP BY heads.request_id, charged_nano HAVING charged_nano <> -coalesce(sum(amount_nano), 0)
    UNION ALL
    SELECT 'event of ' || request_id FROM usage_events JOIN charged_requests AS heads USING (request_id)
    GROUP BY request_id, heads.rank HAVING max(usage_events.rank) <> heads.rank`;
  return {
    balances: new Map(balances.map((row) => [Number(row.id), BigInt(row.balance_nano)])),
    requests: new Map(requests.map((row) => [row.request_id, row.outcome])),
    lines: Number(lines?.count),
    violations: violations.map((row) => row.what),
  };
}
