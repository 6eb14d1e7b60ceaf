/** The newest price of every model, including models that have left the catalogue since. */
import { sql } from 'drizzle-orm';
import { modelPrices } from '../../shared/tables/catalogue.ts';
import type { Db } from '../database/connect.ts';
import type { PriceRow } from '../ledger/queries/itemise-charge.ts';

export async function readCurrentPrices(db: Db): Promise<ReadonlyMap<string, PriceRow>> {
  const rows = await db
    .selectDistinctOn([modelPrices.model])
    .from(modelPrices)
    .orderBy(modelPrices.model, sql`${modelPrices.version} desc`);
  return new Map(rows.map((row) => [row.model, row]));
}
