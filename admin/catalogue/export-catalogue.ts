/** Exports the catalogue as a file that can be applied again. */
import { GatewayError } from '../../shared/errors.ts';
import type { Database } from '../database/connect.ts';
import { readNewestCatalogue } from './newest-catalogue.ts';

/** The catalogue in force, as YAML. Throws GatewayError `not_found` if none was ever applied. */
export async function exportCatalogue({ db }: Database): Promise<string> {
  const newest = await readNewestCatalogue(db);
  if (newest === undefined) throw noCatalogueYet();
  return renderCatalogueFile(newest.file);
}

/** As YAML with a newline at the end. */
export function renderCatalogueFile(file: unknown): string {
  return `${Bun.YAML.stringify(file, null, 2)}\n`;
}

export const noCatalogueYet = () => new GatewayError('not_found', 'No catalogue has been applied yet.');
