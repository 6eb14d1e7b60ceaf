/** Applies a catalogue on behalf of an operator, and audits it. */

import type { Db } from '../database/connect.ts';
import { type Actor, recordAction } from '../operations/audit/record-action.ts';
import { type AppliedCatalogue, putIntoForce } from './apply-catalogue.ts';
import type { CatalogueFile } from './catalogue-file.ts';
import { readNewestCatalogue } from './newest-catalogue.ts';

export function applyAudited(db: Db, actor: Actor, file: CatalogueFile): Promise<AppliedCatalogue> {
  return db.transaction(async (transaction) => {
    const before = await readNewestCatalogue(transaction);
    const applied = await putIntoForce(transaction, file);
    const { version, ...after } = applied;
    const subject = `catalogue ${version}`;
    const replaced = before && { before: { version: before.version } };
    await recordAction(transaction, actor, { action: 'catalogue.apply', subject, ...replaced, after });
    return applied;
  });
}
