/** The catalogue in force, as a file that can be applied again. */
import { GatewayError } from '../../shared/errors.ts';
import type { Database } from '../database/connect.ts';
import { readNewestCatalogue } from './newest-catalogue.ts';

/** YAML. Throws GatewayError `not_found` where no catalogue was ever applied. */
export async function exportCatalogue({ db }: Database): Promise<string> {
  const newest = await readNewestCatalogue(db);
  if (newest === undefined) throw new GatewayError('not_found', 'No catalogue has been applied yet.');
  return Bun.YAML.stringify(newest.file, null, 2);
}
