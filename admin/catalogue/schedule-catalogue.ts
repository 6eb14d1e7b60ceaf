/**
 * Scheduled catalogues. Each is stored until its time and then becomes the newest, whatever was
 * applied in between: its author decided what applies from that moment on.
 */
import { and, asc, eq, lte, sql } from 'drizzle-orm';
import { GatewayError } from '../../shared/errors.ts';
import type { Db, DbOrTransaction } from '../database/connect.ts';
import { scheduledCatalogues } from '../database/tables/catalogue.ts';
import { type Actor, recordAction } from '../operations/audit/record-action.ts';
import { activateCatalogue } from './apply-catalogue.ts';
import type { CatalogueFile } from './catalogue-file.ts';

export type ScheduledCatalogue = typeof scheduledCatalogues.$inferSelect;

const scheduler: Actor = { name: 'worker:catalogue', userId: null, address: null, requestId: null };

/** Throws GatewayError `invalid_parameter` for a moment that has passed. */
export function scheduleCatalogue(
  db: Db,
  actor: Actor,
  { file, effectiveFrom }: { file: CatalogueFile; effectiveFrom: Date },
): Promise<ScheduledCatalogue> {
  if (effectiveFrom <= new Date()) {
    throw new GatewayError('invalid_parameter', 'A catalogue cannot take effect in the past.', {
      param: 'effectiveFrom',
    });
  }
  return db.transaction(async (transaction) => {
    const [scheduled] = await transaction.insert(scheduledCatalogues).values({ file, effectiveFrom }).returning();
    if (scheduled === undefined) throw new Error('an insert returned no catalogue');
    await recordAction(transaction, actor, {
      action: 'catalogue.schedule',
      subject: `scheduled catalogue ${scheduled.id}`,
      after: { effectiveFrom, models: file.models.length },
    });
    return scheduled;
  });
}

/** Those that are waiting, the next one first. */
export function listScheduled(db: DbOrTransaction): Promise<ScheduledCatalogue[]> {
  return db
    .select()
    .from(scheduledCatalogues)
    .where(eq(scheduledCatalogues.state, 'waiting'))
    .orderBy(asc(scheduledCatalogues.effectiveFrom), asc(scheduledCatalogues.id));
}

/** Throws GatewayError `not_found` if it is no longer waiting. */
export function cancelScheduled(db: Db, actor: Actor, id: number): Promise<void> {
  return db.transaction(async (transaction) => {
    const [cancelled] = await transaction
      .update(scheduledCatalogues)
      .set({ state: 'cancelled' })
      .where(and(eq(scheduledCatalogues.id, id), eq(scheduledCatalogues.state, 'waiting')))
      .returning();
    if (cancelled === undefined) throw scheduledNotFound(id);
    const subject = `scheduled catalogue ${id}`;
    const before = { effectiveFrom: cancelled.effectiveFrom };
    await recordAction(transaction, actor, { action: 'catalogue.cancel', subject, before });
  });
}

/**
 * Applies catalogues that are due, in the order of their times; returns how many. Postgres' clock decides, so that
 * replicas agree, and each is applied once, by one of the replicas.
 */
export function applyDueCatalogues(db: Db): Promise<number> {
  return db.transaction(async (transaction) => {
    const due = await transaction
      .select()
      .from(scheduledCatalogues)
      .where(and(eq(scheduledCatalogues.state, 'waiting'), lte(scheduledCatalogues.effectiveFrom, sql`now()`)))
      .orderBy(asc(scheduledCatalogues.effectiveFrom), asc(scheduledCatalogues.id))
      .for('update');
    for (const { id, file, effectiveFrom } of due) {
      // It was validated when it was scheduled.
      const { version, ...applied } = await activateCatalogue(transaction, file as CatalogueFile);
      await transaction
        .update(scheduledCatalogues)
        .set({ state: 'applied', version })
        .where(eq(scheduledCatalogues.id, id));
      await recordAction(transaction, scheduler, {
        action: 'catalogue.apply',
        subject: `catalogue ${version}`,
        reason: `scheduled catalogue ${id}, for ${effectiveFrom.toISOString()}`,
        after: applied,
      });
    }
    return due.length;
  });
}

export function scheduledNotFound(id: number): GatewayError {
  return new GatewayError('not_found', `There is no scheduled catalogue ${id}.`, { param: 'id' });
}
