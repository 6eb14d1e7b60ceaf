/** Webhook endpoints in every state, with deliveries of every kind, which nothing is sent for. */
import { sealSecret } from '../../../admin/auth/sealed-secret.ts';
import { webhookDeliveries, webhookEndpoints } from '../../../admin/database/tables/webhooks.ts';
import { webhookEventTypes } from '../../../admin/operations/webhook-events/webhook-event.ts';
import type { Harness } from '../../harness.ts';

type Seeding = Pick<Harness, 'database' | 'keyPepper'>;

/** A delivery that waits does so for a day. */
export async function seedWebhooks({ database: { db }, keyPepper }: Seeding, accountId: number): Promise<void> {
  const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000);
  const endpointOf = (url: string, events: readonly string[], createdHoursAgo: number) => {
    const id = Bun.randomUUIDv7();
    const sealedSecret = sealSecret({ keyPeppers: [keyPepper] }, `secret of webhook endpoint ${id}`, 'whsec_AAAA');
    return {
      id,
      accountId,
      url,
      events: [...events],
      active: true,
      sealedSecret,
      createdAt: hoursAgo(createdHoursAgo),
    };
  };
  const working = {
    ...endpointOf('https://hooks.example.com/gateway', webhookEventTypes, 300),
    formerSecretEndsAt: hoursAgo(-20),
  };
  const error = 'the endpoint responded with status 500';
  const rested = {
    ...endpointOf(
      `https://billing.example.com/${'events/'.repeat(20)}`,
      ['payment.succeeded', 'payment.refunded'],
      200,
    ),
    ...{ active: false, restedAt: hoursAgo(3), restReason: `payment.succeeded was not delivered: ${error}` },
  };
  const off = {
    ...endpointOf('https://example.com/off', ['balance.low', 'key.created', 'key.deleted'], 100),
    active: false,
  };
  await db.insert(webhookEndpoints).values([working, rested, off]);
  const key = { keyId: 7, kind: 'proxy', name: 'production', prefix: 'ms-07Zk3QpL' };
  const delivery = (type: string, data: object, occurredHoursAgo: number) => ({
    ...{ endpointId: working.id, eventId: Bun.randomUUIDv7(), type, data, attempts: 1 },
    ...{ occurredAt: hoursAgo(occurredHoursAgo), attemptedAt: hoursAgo(occurredHoursAgo) },
  });
  const attempted = { responseStatus: 500, responseBody: '<h1>Internal Server Error</h1>', error };
  const delivered = { state: 'delivered', triesLeft: 9, responseStatus: 200, responseBody: 'ok' } as const;
  const waiting = { state: 'pending', attempts: 8, triesLeft: 2, nextAttemptAt: hoursAgo(-24) } as const;
  await db.insert(webhookDeliveries).values([
    { ...delivery('webhook.test', {}, 290), ...delivered },
    { ...delivery('member.joined', { userId: 42, email: 'anna@example.com', role: 'member' }, 50), ...delivered },
    { ...delivery('key.created', key, 30), ...attempted, state: 'failed', attempts: 10, triesLeft: 0 },
    { ...delivery('balance.low', { balanceUsd: '4.25', thresholdRub: '500' }, 6), ...attempted, ...waiting },
  ]);
}
