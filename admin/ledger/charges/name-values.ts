/**
 * Finds the numbers of what charges say of the dimensions of their accounts, in the transaction that books them. A new value gets a
 * number of its own, as long as its month has fewer than `valuesMax`; all others share one.
 *
 * A transaction that inserts values locks their dimensions first, in the order of their ids, and counts afterwards, so the limit is
 * exact. Call it before anything else is locked: dimensions are always locked before accounts.
 */
import type { TransactionSql } from 'postgres';
import { arrayLiteral } from '../../database/array-literal.ts';
import type { Charge } from './read-usage-entry.ts';

/** Of a dimension in a month. */
export const valuesMax = 1_000;
/** By charge, for those that have any: ids of `dimension_values`. */
export type ValuesOfCharges = ReadonlyMap<Charge, readonly number[]>;

interface Wanted {
  readonly accountId: number;
  readonly name: string;
  readonly month: string;
  readonly value: string;
}

interface Found {
  /** Of the wanted value. */
  readonly place: number;
  readonly dimensionId: number;
  /** Null if the month has not had it. */
  readonly id: number | null;
}

/** What an account has no dimension for is left out: its values were erased, or never asked for. */
export async function nameValues(transaction: TransactionSql, charges: readonly Charge[]): Promise<ValuesOfCharges> {
  const wanted = new Map<string, Wanted>();
  const placesOf = new Map<Charge, string[]>();
  for (const charge of charges) {
    if (charge.detail.dimensions === null) continue;
    const each = wantedBy(charge).map((one) => [JSON.stringify(Object.values(one)), one] as const);
    for (const [key, one] of each) wanted.set(key, one);
    placesOf.set(
      charge,
      each.map(([key]) => key),
    );
  }
  if (wanted.size === 0) return new Map();
  const ids = await findIds(transaction, [...wanted.values()]);
  const idOf = new Map([...wanted.keys()].map((key, place) => [key, ids.get(place)]));
  const ofCharges = new Map<Charge, readonly number[]>();
  for (const [charge, keys] of placesOf) {
    const values = keys.flatMap((key) => idOf.get(key) ?? []);
    if (values.length > 0) ofCharges.set(charge, values);
  }
  return ofCharges;
}

/** Months are those of UTC, by the time of the charge. */
function wantedBy({ accountId, chargedAt, detail }: Charge): Wanted[] {
  const month = `${chargedAt.toISOString().slice(0, 7)}-01`;
  return Object.entries(detail.dimensions ?? {}).map(([name, value]) => ({ accountId, name, month, value }));
}

/** By the place of the wanted value. */
async function findIds(transaction: TransactionSql, wanted: readonly Wanted[]): Promise<ReadonlyMap<number, number>> {
  let found = await lookUp(transaction, wanted);
  const missing = found.filter(({ id }) => id === null);
  if (missing.length > 0) {
    await insertValues(transaction, wanted, missing);
    found = await lookUp(transaction, wanted);
  }
  return new Map(found.flatMap(({ place, id }) => (id === null ? [] : [[place, id] as const])));
}

/** A value that is not there has the number of all others, once there is one. */
async function lookUp(transaction: TransactionSql, wanted: readonly Wanted[]): Promise<Found[]> {
  const of = (read: (one: Wanted) => string | number) => arrayLiteral(wanted.map(read));
  const rows = await transaction<{ place: number; dimension_id: string; id: string | null }[]>`
    WITH wanted AS (
      SELECT unnest(${arrayLiteral([...wanted.keys()])}::int[]) AS place,
        unnest(${of(({ accountId }) => accountId)}::bigint[]) AS account_id,
        unnest(${of(({ name }) => name)}::text[]) AS name,
        unnest(${of(({ month }) => month)}::date[]) AS month,
        unnest(${of(({ value }) => value)}::text[]) AS value
    )
    SELECT wanted.place, dimensions.id AS dimension_id, coalesce(own.id, other.id) AS id
    FROM wanted JOIN dimensions USING (account_id, name)
    LEFT JOIN dimension_values AS own
      ON own.dimension_id = dimensions.id AND own.month = wanted.month AND own.value = wanted.value
    LEFT JOIN dimension_values AS other
      ON other.dimension_id = dimensions.id AND other.month = wanted.month AND other.value IS NULL
    ORDER BY wanted.place`;
  return rows.map(({ place, dimension_id, id }) => ({
    place,
    dimensionId: Number(dimension_id),
    id: id === null ? null : Number(id),
  }));
}

/** In the order of the charges. The first value that a month has no room for inserts the row of all others instead. */
async function insertValues(
  transaction: TransactionSql,
  wanted: readonly Wanted[],
  missing: readonly Found[],
): Promise<void> {
  const dimensionIds = arrayLiteral([...new Set(missing.map(({ dimensionId }) => dimensionId))]);
  await transaction`
    SELECT id FROM dimensions WHERE id = ANY(${dimensionIds}::bigint[]) ORDER BY id FOR NO KEY UPDATE`;
  const of = (read: (one: Found) => string | number) => arrayLiteral(missing.map(read));
  await transaction`
    WITH missing AS (
      SELECT unnest(${of(({ place }) => place)}::int[]) AS place,
        unnest(${of(({ dimensionId }) => dimensionId)}::bigint[]) AS dimension_id,
        unnest(${of(({ place }) => wanted[place]?.month ?? '')}::date[]) AS month,
        unnest(${of(({ place }) => wanted[place]?.value ?? '')}::text[]) AS value
    ), new AS (
      SELECT missing.*, row_number() OVER (PARTITION BY dimension_id, month ORDER BY place) AS number
      FROM missing
      WHERE NOT EXISTS (
        SELECT FROM dimension_values AS present
        WHERE present.dimension_id = missing.dimension_id AND present.month = missing.month
          AND present.value = missing.value
      )
    ), room AS (
      SELECT dimension_id, month, ${valuesMax} - (
        SELECT count(*) FROM dimension_values AS present
        WHERE present.dimension_id = months.dimension_id AND present.month = months.month AND present.value IS NOT NULL
      ) AS values_left
      FROM (SELECT DISTINCT dimension_id, month FROM new) AS months
    )
    INSERT INTO dimension_values (dimension_id, month, value)
    SELECT dimension_id, month, value FROM new JOIN room USING (dimension_id, month) WHERE number <= values_left
    UNION ALL
    SELECT DISTINCT dimension_id, month, NULL FROM new JOIN room USING (dimension_id, month) WHERE number > values_left
    ON CONFLICT DO NOTHING`;
}
