/** The additional addresses of an account's alerts: their status, and how one is removed. */
import { and, asc, eq } from 'drizzle-orm';
import { GatewayError } from '../../../shared/errors.ts';
import type { DbOrTransaction } from '../../database/connect.ts';
import { alertAddresses } from '../../database/tables/notifications.ts';

export type AlertAddress = typeof alertAddresses.$inferSelect;

export const addressStatuses = ['pending', 'active', 'stopped'] as const;
export type AddressStatus = (typeof addressStatuses)[number];

/** Only an active address gets alerts. */
export function statusOf({ confirmedAt, stoppedAt }: AlertAddress): AddressStatus {
  if (stoppedAt !== null) return 'stopped';
  return confirmedAt === null ? 'pending' : 'active';
}

/** Oldest first. */
export function listAddresses(db: DbOrTransaction, accountId: number): Promise<AlertAddress[]> {
  return db
    .select()
    .from(alertAddresses)
    .where(eq(alertAddresses.accountId, accountId))
    .orderBy(asc(alertAddresses.id));
}

/** Links mailed to it before no longer work. Throws GatewayError `not_found`. */
export async function removeAddress(db: DbOrTransaction, address: { id: number; accountId: number }): Promise<void> {
  const { id, accountId } = address;
  const removed = await db
    .delete(alertAddresses)
    .where(and(eq(alertAddresses.id, id), eq(alertAddresses.accountId, accountId)))
    .returning({ id: alertAddresses.id });
  if (removed.length === 0) throw addressNotFound(id);
}

export const addressNotFound = (id: number) =>
  new GatewayError('not_found', `There is no address ${id}.`, { param: 'id' });
