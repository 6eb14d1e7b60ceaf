/** Stores what was said about a payment, before it is acted on. */
import { paymentEvents } from '../../shared/tables/payments.ts';
import type { DbOrTransaction } from '../database/connect.ts';

export async function recordEvent(
  db: DbOrTransaction,
  event: { paymentId: string; kind: 'notification' | 'answer' | 'confirmation'; body: string },
): Promise<void> {
  await db.insert(paymentEvents).values(event);
}
