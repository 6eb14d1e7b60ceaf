/** What was and will be sent to an endpoint: listed, sent again, and tested. */
import { and, desc, eq, lt, sql } from 'drizzle-orm';
import { GatewayError } from '../../../shared/errors.ts';
import type { Database, DbOrTransaction } from '../../database/connect.ts';
import { attemptsMax, webhookDeliveries } from '../../database/tables/webhooks.ts';
import { testEventType } from '../../operations/webhook-events/webhook-event.ts';
import { type AttemptServices, attemptDelivery } from '../delivery/attempt-delivery.ts';
import { type ClaimedRow, claimedOf, leaseMs } from '../delivery/claim-deliveries.ts';
import { recordAttempt } from '../delivery/record-attempt.ts';
import { type EndpointPlace, findEndpoint } from './endpoints.ts';

export type Delivery = typeof webhookDeliveries.$inferSelect;

export interface DeliveryQuery {
  readonly endpointId: string;
  /** Only those before it. */
  readonly beforeId: number | undefined;
  readonly limit: number;
}

/** Newest first. */
export function listDeliveries(db: DbOrTransaction, query: DeliveryQuery): Promise<Delivery[]> {
  const { endpointId, beforeId, limit } = query;
  const isBefore = beforeId === undefined ? undefined : lt(webhookDeliveries.id, beforeId);
  return db
    .select()
    .from(webhookDeliveries)
    .where(and(eq(webhookDeliveries.endpointId, endpointId), isBefore))
    .orderBy(desc(webhookDeliveries.id))
    .limit(limit);
}

/**
 * Sends it again soon, with the same `webhook-id` and as many attempts as the first time. One that is being attempted is only sent again
 * if that attempt fails. Throws GatewayError `not_found` or `webhook_inactive`.
 */
export async function replayDelivery(db: DbOrTransaction, place: EndpointPlace, deliveryId: number): Promise<Delivery> {
  const { active } = await findEndpoint(db, place);
  if (!active) throw webhookInactive();
  const [delivery] = await db
    .update(webhookDeliveries)
    .set({ state: 'pending', triesLeft: attemptsMax, nextAttemptAt: sql`now()` })
    .where(and(eq(webhookDeliveries.id, deliveryId), eq(webhookDeliveries.endpointId, place.id)))
    .returning();
  if (delivery === undefined) throw deliveryNotFound(deliveryId);
  return delivery;
}

/** Attempts it once, now, whether or not the endpoint is active. Returns the delivery with its outcome. Throws GatewayError `not_found`. */
export async function testEndpoint(
  services: AttemptServices & { readonly database: Database },
  place: EndpointPlace,
): Promise<Delivery> {
  const { database, now } = services;
  const { db, sql: client } = database;
  await findEndpoint(db, place);
  // Claimed from its first moment, so no sender takes it as well.
  const rows = await client<ClaimedRow[]>`
    WITH delivery AS (
      INSERT INTO webhook_deliveries (endpoint_id, event_id, type, data, attempts, tries_left, lease_ends_at)
      VALUES (${place.id}, ${Bun.randomUUIDv7()}, ${testEventType}, '{}', 1, 0, now() + make_interval(secs => ${leaseMs / 1000}))
      RETURNING *)
    SELECT delivery.*, account_id, url, sealed_secret, former_sealed_secret, former_secret_ends_at
    FROM delivery JOIN webhook_endpoints AS endpoint ON endpoint.id = delivery.endpoint_id`;
  const [delivery] = rows.map(claimedOf);
  if (delivery === undefined) throw new Error('an insert returned no delivery');
  const attempted = await attemptDelivery(services, delivery, new AbortController().signal);
  await recordAttempt(db, { delivery, attempted, now: now() });
  const [recorded] = await db.select().from(webhookDeliveries).where(eq(webhookDeliveries.id, delivery.id));
  if (recorded === undefined) throw deliveryNotFound(delivery.id);
  return recorded;
}

export const deliveryNotFound = (id: number) =>
  new GatewayError('not_found', `There is no delivery ${id} of this endpoint.`, { param: 'deliveryId' });

export const webhookInactive = () =>
  new GatewayError('webhook_inactive', 'The endpoint is inactive. Activate it first.');
