/**
 * Handles the mailed links with which the owner of an address accepts an account's alerts or unsubscribes from them.
 */
import { and, eq, sql } from 'drizzle-orm';
import { findMailToken, invalidLink, useMailToken } from '../../auth/mail-links/mail-tokens.ts';
import type { Db } from '../../database/connect.ts';
import { users } from '../../database/tables/accounts.ts';
import { alertAddresses } from '../../database/tables/notifications.ts';

/** Returns the address. Throws GatewayError `invalid_link`, also where the address was taken off the list. */
export function confirmAddress(db: Db, token: string): Promise<string> {
  return db.transaction(async (transaction) => {
    const proof = await useMailToken(transaction, 'verify_alert_address', token);
    if (proof === undefined) throw invalidLink();
    const home = transaction.select({ id: users.homeAccountId }).from(users).where(eq(users.id, proof.userId));
    const [confirmed] = await transaction
      .update(alertAddresses)
      .set({ confirmedAt: sql`now()`, stoppedAt: null })
      .where(
        and(
          eq(alertAddresses.accountId, sql`coalesce(${proof.accountId ?? null}::bigint, (${home}))`),
          sql`lower(${alertAddresses.email}) = lower(${proof.email})`,
        ),
      )
      .returning({ email: alertAddresses.email });
    if (confirmed === undefined) throw invalidLink();
    return confirmed.email;
  });
}

/**
 * Returns the address. Idempotent, because every alert carries the same link. Throws GatewayError `invalid_link`, also
 * if the address was removed from the list.
 */
export async function stopAlerts(db: Db, token: string): Promise<string> {
  const [stopped] = await db
    .update(alertAddresses)
    .set({ stoppedAt: sql`coalesce(${alertAddresses.stoppedAt}, now())` })
    .where(eq(alertAddresses.stopToken, token))
    .returning({ email: alertAddresses.email });
  if (stopped === undefined) throw invalidLink();
  return stopped.email;
}

/** Whether the link would work now. It stays usable. Throws GatewayError `invalid_link`. */
export async function checkLink(db: Db, action: 'confirm' | 'unsubscribe', token: string): Promise<void> {
  const works =
    action === 'confirm'
      ? (await findMailToken(db, 'verify_alert_address', token)) !== undefined
      : (await db.$count(alertAddresses, eq(alertAddresses.stopToken, token))) > 0;
  if (!works) throw invalidLink();
}
