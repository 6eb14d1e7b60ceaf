/** The sealed months, newest first, and whether each was what was sealed when it was last compared. */
import type { Sql } from 'postgres';

export interface ListedSeal {
  /** `2026-10` */
  readonly month: string;
  /** In hexadecimal. */
  readonly hash: string;
  /** Of the ledger, without compact charges. */
  readonly lines: number;
  readonly events: number;
  readonly sealedAt: Date;
  /** Null if they have not been compared yet. */
  readonly checkedAt: Date | null;
  /** Sentences; none if the month was what was sealed. */
  readonly problems: readonly string[];
}

interface Row {
  readonly month: string;
  readonly hash: string;
  readonly lines: string;
  readonly events: string;
  readonly sealedAt: Date;
  readonly checkedAt: Date | null;
  readonly problems: readonly string[] | null;
}

/** One that is being sealed is not listed. */
export async function listSeals(sql: Sql): Promise<ListedSeal[]> {
  const rows = await sql<Row[]>`
    SELECT to_char(month, 'YYYY-MM') AS month, hash, lines, events, finished_at AS "sealedAt", checked_at AS "checkedAt",
      problems
    FROM sealed_months LEFT JOIN seal_checks USING (month) WHERE finished_at IS NOT NULL ORDER BY sealed_months.month DESC`;
  return rows.map((row) => ({
    ...row,
    lines: Number(row.lines),
    events: Number(row.events),
    problems: row.problems ?? [],
  }));
}

/** As JSON. */
export const renderSeal = ({ sealedAt, checkedAt, ...seal }: ListedSeal) => ({
  ...seal,
  sealedAt: sealedAt.toISOString(),
  checkedAt: checkedAt?.toISOString() ?? null,
  problems: [...seal.problems],
});
