/** The additional addresses of an account's alerts: their status, and how one is removed. */
import { and, asc, eq } from 'drizzle-orm';
import { GatewayError } from '../../../shared/errors.ts';
import type { Db, DbOrTransaction } from '../../database/connect.ts';
import { alertAddresses } from '../../database/tables/notifications.ts';
import { type Actor, recordAction } from '../../operations/audit/record-action.ts';

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
export function removeAddress(db: Db, actor: Actor, address: { id: number; accountId: number }): Promise<void> {
  const { id, accountId } = address;
  return db.transaction(async (transaction) => {
    const [removed] = await transaction
      .delete(alertAddresses)
      .where(and(eq(alertAddresses.id, id), eq(alertAddresses.accountId, accountId)))
      .returning({ email: alertAddresses.email });
    if (removed === undefined) throw addressNotFound(id);
    await recordAction(transaction, actor, {
      action: 'alert_address.remove',
      subject: `alert address ${id}`,
      accountId,
      before: { email: removed.email },
    });
  });
}

export const addressNotFound = (id: number) =>
  new GatewayError('not_found', `There is no address ${id}.`, { param: 'id' });
