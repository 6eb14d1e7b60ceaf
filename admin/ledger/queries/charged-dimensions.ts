/** What requests say of the dimensions of their organization: which ones there are, what a charge has, and how it is found by it. */
import { and, asc, desc, eq, type SQL, sql } from 'drizzle-orm';
import { type DimensionName, isDimensionName } from '../../../shared/usage/dimension-names.ts';
import { arrayLiteral } from '../../database/array-literal.ts';
import type { DbOrTransaction } from '../../database/connect.ts';
import { dimensions } from '../../database/tables/dimensions.ts';
import { usageEvents } from '../../database/tables/usage.ts';
import { isBound, quarterMs } from '../times.ts';
import type { QuartersWanted } from './charged-quarters.ts';
import type { UsageEvent } from './usage-event.ts';

/** Stands for all values that came when their month had 1,000 others. */
export const otherValue = '…other';

export interface Dimension {
  readonly id: number;
  readonly name: DimensionName;
  /** Whether usage is still attributed to it. */
  readonly active: boolean;
}

/** Of a charge: values by the name of their dimension; null if it has none, or they were erased. */
export type ChargedDimensions = Readonly<Record<string, string>> | null;

/** Active ones first, in the order in which they were switched on. */
export async function listDimensions(db: DbOrTransaction, accountId: number): Promise<Dimension[]> {
  const rows = await db
    .select({ id: dimensions.id, name: dimensions.name, active: dimensions.active })
    .from(dimensions)
    .where(eq(dimensions.accountId, accountId))
    .orderBy(desc(dimensions.active), asc(dimensions.id));
  // Names were checked when they were stored.
  return rows.flatMap(({ name, ...row }) => (isDimensionName(name) ? [{ ...row, name }] : []));
}

export async function findDimension(
  db: DbOrTransaction,
  { accountId, name }: { accountId: number; name: DimensionName },
): Promise<Dimension | undefined> {
  const [row] = await db
    .select({ id: dimensions.id, active: dimensions.active })
    .from(dimensions)
    .where(and(eq(dimensions.accountId, accountId), eq(dimensions.name, name)));
  return row && { ...row, name };
}

const ofIds = (ids: SQL): SQL => sql`(
  SELECT json_object_agg(dimension.name, coalesce(named.value, ${otherValue}))
  FROM dimension_values AS named JOIN dimensions AS dimension ON dimension.id = named.dimension_id
  WHERE named.id = ANY(${ids}))`;

/** An expression for what an event has. */
export const chargedDimensions = sql<ChargedDimensions>`
  CASE WHEN ${usageEvents.dimensionValues} IS NULL THEN NULL ELSE ${ofIds(sql`${usageEvents.dimensionValues}`)} END`;

export async function readChargedDimensions(
  db: DbOrTransaction,
  { dimensionValues }: UsageEvent,
): Promise<ChargedDimensions> {
  if (dimensionValues === null) return null;
  const ids = sql`${sql.param(dimensionValues)}::bigint[]`;
  const [row] = await db.execute<{ values: ChargedDimensions }>(sql`SELECT ${ofIds(ids)} AS values`);
  return row?.values ?? null;
}

/** An estimate counts with the values of the final charge that has corrected it. */
const countedValues = sql`CASE WHEN ${usageEvents.rank} = 2 THEN ${usageEvents.dimensionValues} ELSE coalesce((
  SELECT final.dimension_values FROM usage_events AS final
  WHERE final.request_id = ${usageEvents.requestId} AND final.rank = 2
), ${usageEvents.dimensionValues}) END`;

/** A condition for rows of `dimension_values`, named `named`. */
function isValue({ dimensionId, value }: { dimensionId: number; value: string }): SQL {
  const isOther = value === otherValue ? sql`OR named.value IS NULL` : sql``;
  return sql`named.dimension_id = ${dimensionId} AND (named.value = ${value} ${isOther})`;
}

interface QuartersFilter extends Omit<QuartersWanted, 'accountId'> {
  readonly dimensionId: number;
  readonly value: string;
}

/** The starts of the last quarters of an hour in which something has counted for this value, the latest first. */
export async function quartersOfValue(db: DbOrTransaction, filter: QuartersFilter, limit: number): Promise<Date[]> {
  const { from, to, model, assignmentIds } = filter;
  const since = from && sql`AND bucket_15m > ${new Date(from.getTime() - quarterMs).toISOString()}::timestamptz`;
  const until = isBound(to) ? sql`AND bucket_15m < ${to.toISOString()}::timestamptz` : sql``;
  const ofModel = model === undefined ? sql`` : sql`AND model = ${model}`;
  const ofPlace = assignmentIds && sql`AND key_id = ANY(${arrayLiteral(assignmentIds)}::bigint[])`;
  const rows = await db.execute<{ bucket_15m: Date }>(sql`
    SELECT DISTINCT bucket_15m FROM dimension_values AS named CROSS JOIN LATERAL (
      SELECT DISTINCT bucket_15m FROM dimension_totals WHERE value_id = named.id ${since} ${until} ${ofModel} ${ofPlace}
      ORDER BY bucket_15m DESC LIMIT ${limit}
    ) AS quarters
    WHERE ${isValue(filter)} ORDER BY bucket_15m DESC LIMIT ${limit}`);
  return rows.map((row) => row.bucket_15m);
}

/** A condition for events that count for this value, or that have no value if it is undefined. */
export function countsFor({ dimensionId, value }: { dimensionId: number; value: string | undefined }): SQL {
  if (value === undefined) {
    return sql`NOT EXISTS (
      SELECT FROM dimension_values AS named WHERE named.dimension_id = ${dimensionId} AND named.id = ANY(${countedValues}))`;
  }
  return sql`${countedValues} && ARRAY(
    SELECT named.id FROM dimension_values AS named WHERE ${isValue({ dimensionId, value })})`;
}
