/** Accounts in Postgres: each row comes from one snapshot, so its sums and its newest charge belong together. */
import type { Sql } from 'postgres';

/** A position in the numbering of a wallet's charges. */
export interface WalletPosition {
  readonly epoch: number;
  readonly seq: number;
}

export interface BookedCharge extends WalletPosition {
  /** The wallet's `spent` after the charge. */
  readonly spentNano: bigint;
}

export interface LedgerAccount {
  readonly spentNano: bigint;
  readonly creditedNano: bigint;
  readonly creditSeq: number;
  /** A credit has not been delivered to Redis yet. */
  readonly creditOnItsWay: boolean;
  /** The newest charge, if a wallet has numbered it; undefined if it was made without one. */
  readonly newestCharge: BookedCharge | undefined;
  /** The wallet's position when it was last repaired. */
  readonly repairedAt: WalletPosition | undefined;
}

interface Row {
  readonly id: string;
  readonly spent_nano: string;
  readonly credited_nano: string;
  readonly credit_seq: string;
  readonly credit_on_its_way?: boolean;
  readonly epoch?: string | null;
  readonly wallet_seq?: string | null;
  readonly wallet_spent_nano?: string | null;
  readonly repaired_epoch?: string | null;
  readonly repaired_seq?: string | null;
}

/** Fields that take an index lookup per account are read only on request; otherwise they are undefined or false. */
export async function readLedgerAccounts(
  sql: Sql,
  accountIds: readonly number[],
  { closely }: { closely: boolean },
): Promise<Map<number, LedgerAccount>> {
  const details = closely ? detailColumns(sql) : sql``;
  const rows = await sql<Row[]>`
    SELECT accounts.id, spent_nano, credited_nano, credit_seq ${details}
    FROM accounts ${closely ? detailJoins(sql) : sql``}
    WHERE accounts.id = ANY(${[...accountIds]}::bigint[])`;
  return new Map(rows.map((row) => [Number(row.id), readRow(row)]));
}

function detailColumns(sql: Sql) {
  return sql`, newest.epoch, newest.wallet_seq, newest.wallet_spent_nano,
    repaired.epoch AS repaired_epoch, repaired.wallet_seq AS repaired_seq,
    EXISTS (
      SELECT FROM outbox WHERE outbox.account_id = accounts.id AND topic = 'credit' AND delivered_at IS NULL
    ) AS credit_on_its_way`;
}

/** Among charges of one millisecond, one without a number hides the others: then the position is unknown. */
function detailJoins(sql: Sql) {
  return sql`
    LEFT JOIN LATERAL (
      SELECT epoch, wallet_seq, wallet_spent_nano FROM usage_events
      WHERE account_id = accounts.id
        AND charged_at = (SELECT max(charged_at) FROM usage_events WHERE account_id = accounts.id)
      ORDER BY epoch DESC, wallet_seq DESC NULLS FIRST LIMIT 1
    ) AS newest ON true
    LEFT JOIN LATERAL (
      SELECT epoch, wallet_seq FROM repairs WHERE account_id = accounts.id ORDER BY id DESC LIMIT 1
    ) AS repaired ON true`;
}

function readRow(row: Row): LedgerAccount {
  const position = (epoch: string | null = null, seq: string | null = null) =>
    epoch === null || seq === null ? undefined : { epoch: Number(epoch), seq: Number(seq) };
  const newest = position(row.epoch, row.wallet_seq);
  return {
    spentNano: BigInt(row.spent_nano),
    creditedNano: BigInt(row.credited_nano),
    creditSeq: Number(row.credit_seq),
    creditOnItsWay: row.credit_on_its_way ?? false,
    newestCharge: newest && { ...newest, spentNano: BigInt(row.wallet_spent_nano ?? '0') },
    repairedAt: position(row.repaired_epoch, row.repaired_seq),
  };
}
