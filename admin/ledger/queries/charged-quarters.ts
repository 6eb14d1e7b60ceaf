/**
 * When charges of some keys or of a model were made, by the totals of their account: a list of what is rare then reads little else.
 * Totals are rows or, in `archived_totals`, lists.
 */
import { type SQL, sql } from 'drizzle-orm';
import { arrayLiteral } from '../../database/array-literal.ts';
import type { DbOrTransaction } from '../../database/connect.ts';
import { isBound, quarterMs, type TimeRange } from '../times.ts';

export interface QuartersWanted extends TimeRange {
  readonly accountId: number;
  readonly model: string | undefined;
  /** Of `key_assignments`; any if undefined. */
  readonly assignmentIds: readonly number[] | undefined;
}

/** How many rows of lists one statement opens: each has thousands of totals. */
const partsAtOnce = 8;

/** The starts of the last quarters of an hour in which there were any, the latest first. */
export async function chargedQuarters(db: DbOrTransaction, wanted: QuartersWanted, limit: number): Promise<Date[]> {
  const { quarters, parts } = await findPlaces(db, wanted, limit);
  let latest = quarters;
  for (let first = 0; first < parts.length; first += partsAtOnce) {
    const some = parts.slice(first, first + partsAtOnce);
    const oldest = latest[limit - 1];
    // The parts that are left have nothing later.
    if (oldest !== undefined && some.every(({ last }) => last <= oldest)) break;
    const opened = await openParts(db, { wanted, parts: some, limit });
    const times = new Set([...latest, ...opened].map((quarter) => quarter.getTime()));
    latest = [...times]
      .sort((one, other) => other - one)
      .slice(0, limit)
      .map((time) => new Date(time));
  }
  return latest;
}

/** A row of lists that has some of them. */
interface Part {
  readonly month: string;
  readonly part: number;
  /** Its last quarter, of whichever charges. */
  readonly last: Date;
}

interface Places {
  /** Of totals that are rows: the latest first. */
  readonly quarters: Date[];
  /** The latest first. */
  readonly parts: readonly Part[];
}

/** In one statement, because totals may become lists at any time. */
async function findPlaces(db: DbOrTransaction, wanted: QuartersWanted, limit: number): Promise<Places> {
  const { accountId, model, assignmentIds } = wanted;
  const ids = assignmentIds && sql`${arrayLiteral(assignmentIds)}::bigint[]`;
  const last = sql`month::timestamp AT TIME ZONE 'UTC' + last_quarter * interval '15 minutes'`;
  const rows = await db.execute<{ last: Date; month: string | null; part: number | null }>(sql`
    (
      SELECT DISTINCT bucket_15m AS last, NULL AS month, NULL::int AS part FROM usage_totals
      WHERE account_id = ${accountId} ${ids && sql`AND key_id = ANY(${ids})`} ${model === undefined ? sql`` : sql`AND model = ${model}`}
        ${isIn(wanted, sql`bucket_15m`)}
      ORDER BY bucket_15m DESC LIMIT ${limit}
    ) UNION ALL (
      SELECT ${last}, month::text, part FROM archived_totals
      WHERE account_id = ${accountId} ${ids && sql`AND key_ids && ${ids}`} ${model === undefined ? sql`` : sql`AND ${model} = ANY(models)`}
        ${startsBefore(wanted, sql`month::timestamp AT TIME ZONE 'UTC' + first_quarter * interval '15 minutes'`)}
        ${endsAfter(wanted, last)}
    )
    ORDER BY last DESC`);
  return {
    quarters: rows.flatMap(({ last: quarter, part }) => (part === null ? [quarter] : [])),
    parts: rows.flatMap(({ last: quarter, month, part }) =>
      month === null || part === null ? [] : [{ month, part, last: quarter }],
    ),
  };
}

interface Opening {
  readonly wanted: QuartersWanted;
  readonly parts: readonly Part[];
  readonly limit: number;
}

/** The latest quarters of these parts. */
async function openParts(db: DbOrTransaction, { wanted, parts, limit }: Opening): Promise<Date[]> {
  const { accountId, model, assignmentIds } = wanted;
  const ids = assignmentIds && sql`${arrayLiteral(assignmentIds)}::bigint[]`;
  // The number of each value in the lists of a part, which its totals have instead.
  const numbersOf = (list: SQL, isWanted: SQL) =>
    sql`SELECT array_agg(number) AS numbers FROM unnest(${list}) WITH ORDINALITY AS listed (value, number) WHERE ${isWanted}`;
  const any = sql`SELECT NULL::bigint[] AS numbers`;
  const rows = await db.execute<{ quarter: Date }>(sql`
    SELECT DISTINCT start AS quarter
    FROM unnest(${arrayLiteral(parts.map(({ month }) => month))}::date[], ${arrayLiteral(parts.map(({ part }) => part))}::int[])
      AS opened (month, part)
    JOIN archived_totals USING (month, part)
    CROSS JOIN LATERAL (${ids === undefined ? any : numbersOf(sql`key_ids`, sql`value = ANY(${ids})`)}) AS key
    CROSS JOIN LATERAL (${model === undefined ? any : numbersOf(sql`models`, sql`value = ${model}`)}) AS model
    CROSS JOIN LATERAL unnest(quarters, key_numbers, model_numbers) AS total (quarter, key_number, model_number)
    CROSS JOIN LATERAL (SELECT month::timestamp AT TIME ZONE 'UTC' + quarter * interval '15 minutes' AS start) AS time
    WHERE account_id = ${accountId} ${ids && sql`AND key_number = ANY(key.numbers)`}
      ${model === undefined ? sql`` : sql`AND model_number = ANY(model.numbers)`} ${isIn(wanted, sql`start`)}
    ORDER BY start DESC LIMIT ${limit}`);
  return rows.map(({ quarter }) => quarter);
}

/** A quarter of an hour that begins then has some of the range. */
function isIn(range: TimeRange, start: SQL): SQL {
  return sql`${startsBefore(range, start)} ${endsAfter(range, start)}`;
}

function startsBefore({ to }: TimeRange, start: SQL): SQL {
  return isBound(to) ? sql`AND ${start} < ${to.toISOString()}::timestamptz` : sql``;
}

function endsAfter({ from }: TimeRange, lastStart: SQL): SQL {
  return from === undefined
    ? sql``
    : sql`AND ${lastStart} > ${new Date(from.getTime() - quarterMs).toISOString()}::timestamptz`;
}
