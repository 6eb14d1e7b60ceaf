/**
 * Takes a provider's notification: its subject is stored once, and the provider is queried about its payment. It is never trusted, so
 * it does not matter whether it is forged, late, repeated or out of order.
 */
import { GatewayError } from '../../shared/errors.ts';
import type { Notification, PaymentMethod } from './methods/payment-method.ts';
import type { PaymentServices } from './payment-services.ts';

/** Of a payment: notifications that are not signed can be sent by anyone. */
export const storedMax = 20;
/** A notification that says nothing new causes a query to the provider this much later, not immediately. */
export const repetitionPauseMs = 15_000;
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** `foreign`: not from the provider, or malformed. `unknown`: about no payment of ours. Throws ProviderError. */
export async function takeNotification(
  { database, now }: Pick<PaymentServices, 'database' | 'now'>,
  method: PaymentMethod,
  notification: Notification,
): Promise<'taken' | 'unknown' | 'foreign'> {
  const reading = await method.readNotification(notification);
  if (reading === undefined) return 'foreign';
  const { reference, kept } = reading;
  const namedId = reading.paymentId !== null && uuid.test(reading.paymentId) ? reading.paymentId : null;
  const { sql } = database;
  const [payment] = await sql<{ id: string }[]>`
    SELECT id FROM payments WHERE method = ${method.id}
      AND (provider_reference = ${reference} OR (id = ${namedId}::uuid AND provider_reference IS NULL))
    ORDER BY provider_reference IS NULL LIMIT 1`;
  if (payment === undefined) return 'unknown';
  const { id } = payment;
  await sql.begin(async (transaction) => {
    // So that of two that say the same, one is stored.
    await transaction`SELECT FROM payments WHERE id = ${id} FOR UPDATE`;
    const stored = await transaction`
      INSERT INTO payment_events (payment_id, kind, body)
      SELECT ${id}, 'notification', ${kept}
      WHERE NOT EXISTS (
          SELECT FROM payment_events WHERE payment_id = ${id} AND kind = 'notification' AND body = ${kept})
        AND (SELECT count(*) FROM payment_events WHERE payment_id = ${id} AND kind = 'notification') < ${storedMax}`;
    const pollAt = new Date(now().getTime() + (stored.count > 0 ? 0 : repetitionPauseMs));
    // If the reference is not known yet, this one is tried.
    await transaction`
      UPDATE payments SET next_ask_at = least(next_ask_at, ${pollAt}),
        claimed_reference = CASE WHEN provider_reference IS NULL THEN ${reference} ELSE claimed_reference END
      WHERE id = ${id}`;
  });
  return 'taken';
}

export function notOurs(): GatewayError {
  return new GatewayError('invalid_notification', 'This is not a notification of the payment provider.');
}

export function noSuchMethod(method: string): GatewayError {
  return new GatewayError('not_found', `The payment method ${method} is not configured.`, { param: 'method' });
}
