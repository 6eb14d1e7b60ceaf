/**
 * Writes events for the webhooks of an account, in the transaction of what they report: one delivery for each active endpoint that
 * subscribes to it. They are sent soon after the commit (admin/webhooks/delivery/). Where no endpoint subscribes, nothing is written.
 *
 * No lock of an endpoint is taken, so that no payment ever waits for someone who edits a webhook.
 */
import { sql } from 'drizzle-orm';
import type { JSONValue, TransactionSql } from 'postgres';
import type { DbOrTransaction } from '../../database/connect.ts';
import type { WebhookEvent } from './webhook-event.ts';

export async function writeEvent(
  transaction: DbOrTransaction,
  accountId: number,
  { type, data }: WebhookEvent,
): Promise<void> {
  await transaction.execute(sql`
    INSERT INTO webhook_deliveries (endpoint_id, event_id, type, data)
    SELECT id, ${Bun.randomUUIDv7()}::uuid, ${type}, ${JSON.stringify(data)}::json
    FROM webhook_endpoints WHERE account_id = ${accountId} AND active AND ${type} = ANY(events)`);
}

/** The same for a postgres.js transaction. */
export async function writeEventIn(
  transaction: TransactionSql,
  accountId: number,
  { type, data }: WebhookEvent,
): Promise<void> {
  await transaction`
    INSERT INTO webhook_deliveries (endpoint_id, event_id, type, data)
    SELECT id, ${Bun.randomUUIDv7()}::uuid, ${type}, ${transaction.json(data as unknown as JSONValue)}::json
    FROM webhook_endpoints WHERE account_id = ${accountId} AND active AND ${type} = ANY(events)`;
}
