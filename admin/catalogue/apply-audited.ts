/** Puts a catalogue into force at an operator's word, and writes down that he gave it. */
import { desc } from 'drizzle-orm';
import { catalogueVersions } from '../../shared/tables/catalogue.ts';
import { type Actor, recordAction } from '../audit/record-action.ts';
import type { Db } from '../database/connect.ts';
import { type AppliedCatalogue, type CatalogueChange, putIntoForce } from './apply-catalogue.ts';
import type { CatalogueFile } from './catalogue-file.ts';

/** What the API answers, and no more than its document describes. */
export async function applyAudited(db: Db, actor: Actor, file: CatalogueFile): Promise<AppliedCatalogue> {
  const { version, models, pricesChanged } = await changeAudited(db, actor, file);
  return { version, models, pricesChanged };
}

export function changeAudited(db: Db, actor: Actor, file: CatalogueFile): Promise<CatalogueChange> {
  return db.transaction(async (transaction) => {
    const [before] = await transaction
      .select({ version: catalogueVersions.version })
      .from(catalogueVersions)
      .orderBy(desc(catalogueVersions.version))
      .limit(1);
    const applied = await putIntoForce(transaction, file);
    const { version, ...after } = applied;
    const subject = `catalogue ${version}`;
    await recordAction(transaction, actor, { action: 'catalogue.apply', subject, ...(before && { before }), after });
    return applied;
  });
}
