/** The current catalogue: the one that was applied last, and its export as a file that can be applied again. */
import { desc } from 'drizzle-orm';
import { GatewayError } from '../../shared/errors.ts';
import type { Database, DbOrTransaction } from '../database/connect.ts';
import { catalogueVersions } from '../database/tables/catalogue.ts';
import type { CatalogueFile } from './catalogue-file.ts';

interface NewestCatalogue {
  readonly version: number;
  readonly file: CatalogueFile;
}

/** Undefined if none was ever applied. */
export async function readNewestCatalogue(db: DbOrTransaction): Promise<NewestCatalogue | undefined> {
  const [newest] = await db.select().from(catalogueVersions).orderBy(desc(catalogueVersions.version)).limit(1);
  // It was validated before it was stored.
  return newest && { version: newest.version, file: newest.file as CatalogueFile };
}

/** The models of the current catalogue that are not in the file: customers could no longer use them. */
export async function findRemovedModels(db: DbOrTransaction, file: CatalogueFile): Promise<string[]> {
  const newest = await readNewestCatalogue(db);
  const kept = new Set(file.models.map(({ id }) => id));
  return (newest?.file.models ?? []).map(({ id }) => id).filter((id) => !kept.has(id));
}

/** The current catalogue, as YAML. Throws GatewayError `not_found` if none was ever applied. */
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
