/** The names by which customers know the providers of the current catalogue. Several providers may share one. */
import type { DbOrTransaction } from '../database/connect.ts';
import { readNewestCatalogue } from './newest-catalogue.ts';

/** Sorted. Empty if the catalogue names none, or none was ever applied. */
export async function readPublicNames(db: DbOrTransaction): Promise<string[]> {
  const newest = await readNewestCatalogue(db);
  const names = (newest?.file.providers ?? []).flatMap(({ publicName }) => publicName ?? []);
  return [...new Set(names)].sort();
}
