/** The catalogue in force, as a file that can be applied again. */
import { desc } from 'drizzle-orm';
import { GatewayError } from '../../shared/errors.ts';
import { catalogueVersions } from '../../shared/tables/catalogue.ts';
import type { Database } from '../database/connect.ts';

/** YAML. Throws GatewayError `not_found` where no catalogue was ever applied. */
export async function exportCatalogue(database: Database): Promise<string> {
  const [newest] = await database.db
    .select({ file: catalogueVersions.file })
    .from(catalogueVersions)
    .orderBy(desc(catalogueVersions.version))
    .limit(1);
  if (newest === undefined) throw new GatewayError('not_found', 'No catalogue has been applied yet.');
  return Bun.YAML.stringify(newest.file, null, 2);
}
