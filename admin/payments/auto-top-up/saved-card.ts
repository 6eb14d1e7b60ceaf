/** The card of automatic top-ups: saved by a payment that requested it, and deleted when they are switched off. */
import { eq } from 'drizzle-orm';
import { GatewayError } from '../../../shared/errors.ts';
import type { DbOrTransaction, Transaction } from '../../database/connect.ts';
import { autoTopUps, savedCards } from '../../database/tables/auto-top-ups.ts';
import type { ProviderCard } from '../methods/payment-method.ts';

export type AutoTopUp = typeof autoTopUps.$inferSelect;
export type SavedCard = typeof savedCards.$inferSelect;

export async function readAutoTopUp(
  db: DbOrTransaction,
  accountId: number,
): Promise<{ settings: AutoTopUp | undefined; card: SavedCard | undefined }> {
  const [row] = await db
    .select()
    .from(autoTopUps)
    .leftJoin(savedCards, eq(savedCards.id, autoTopUps.cardId))
    .where(eq(autoTopUps.accountId, accountId));
  return { settings: row?.auto_top_ups, card: row?.saved_cards ?? undefined };
}

/** An order may save its card only for what the customer has agreed to. Throws GatewayError `auto_top_up_off`. */
export async function refuseUnwantedCard(db: DbOrTransaction, accountId: number, method: string): Promise<void> {
  const { settings } = await readAutoTopUp(db, accountId);
  if (settings?.state !== 'on' || settings.method !== method) throw autoTopUpOff();
}

/** Keeps the card that a payment has saved, if the customer still wants automatic top-ups by it. */
export async function keepCard(
  transaction: Transaction,
  { accountId, method }: { accountId: number; method: string },
  { card, at }: { card: ProviderCard; at: Date },
): Promise<void> {
  const { settings } = await readAutoTopUp(transaction, accountId);
  if (settings?.state !== 'on' || settings.method !== method) return;
  const id = Bun.randomUUIDv7();
  await transaction.insert(savedCards).values({ id, accountId, method, ...card });
  await transaction
    .update(autoTopUps)
    .set({ cardId: id, failures: 0, dueAt: at })
    .where(eq(autoTopUps.accountId, accountId));
  await forgetCard(transaction, settings.cardId);
}

/** The row stays: payments name it. */
export async function forgetCard(transaction: Transaction, cardId: string | null): Promise<void> {
  if (cardId === null) return;
  await transaction
    .update(savedCards)
    .set({ reference: null, customer: null, title: null })
    .where(eq(savedCards.id, cardId));
}

export function autoTopUpOff(): GatewayError {
  return new GatewayError(
    'auto_top_up_off',
    'A card is saved for automatic top-ups only. Switch them on for this method with PUT /api/payments/auto-top-up first.',
    { param: 'saveCard' },
  );
}
