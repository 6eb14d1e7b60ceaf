/** An organization with a webhook endpoint, events for it, and a sender whose clock the test sets. */

import type { Resolve } from '../../../admin/http/outgoing/address-guard.ts';
import type { WebhookEventType } from '../../../admin/operations/webhook-events/webhook-event.ts';
import { webhookEventTypes } from '../../../admin/operations/webhook-events/webhook-event.ts';
import { writeEvent } from '../../../admin/operations/webhook-events/write-event.ts';
import { WebhookSender } from '../../../admin/webhooks/delivery/webhook-sender.ts';
import { createEndpoint } from '../../../admin/webhooks/endpoints/endpoints.ts';
import { createLog } from '../../../shared/log.ts';
import type { Harness } from '../../harness.ts';

export interface TestEndpoint {
  readonly id: string;
  readonly accountId: number;
  readonly email: string;
  readonly secret: string;
}

const actor = { name: 'test', userId: null, address: null, requestId: null };

export function settingsOf(harness: Harness) {
  return { keyPeppers: [harness.keyPepper], webhookReach: 'any' as const, shutdown: { announceMs: 0, graceMs: 0 } };
}

export async function openEndpoint(
  harness: Harness,
  url: string,
  events: readonly WebhookEventType[] = webhookEventTypes,
  owner?: Pick<TestEndpoint, 'accountId' | 'email'>,
): Promise<TestEndpoint> {
  const { accountId, email } = owner ?? (await harness.createCustomer({ usd: '0' }));
  const { db } = harness.database;
  const input = { manager: { id: null, accountId }, fields: { url, events, active: true } };
  const { endpoint, secret } = await createEndpoint({ db, config: settingsOf(harness) }, actor, input);
  return { id: endpoint.id, accountId, email, secret };
}

/** Events of the type `key.created`, whose keys have these ids. */
export async function happen(harness: Harness, { accountId }: TestEndpoint, ...keyIds: number[]): Promise<void> {
  for (const keyId of keyIds) {
    const data = { keyId, kind: 'proxy', name: 'production', prefix: 'ms-00' } as const;
    await writeEvent(harness.database.db, accountId, { type: 'key.created', data });
  }
}

export interface TestSender {
  readonly sender: WebhookSender;
  readonly stopping: AbortController;
  /** The sender's clock, which stands still. */
  now: Date;
}

interface SenderOptions {
  readonly reach?: 'public' | 'any';
  readonly keyPeppers?: readonly string[];
  readonly resolve?: Resolve;
}

export function openSender(
  harness: Harness,
  { reach = 'any', keyPeppers = [harness.keyPepper], resolve }: SenderOptions = {},
): TestSender {
  const stopping = new AbortController();
  const opened: TestSender = {
    stopping,
    // Later than Postgres' own clock, by which deliveries are due.
    now: new Date(Date.now() + 1_000),
    sender: new WebhookSender({
      database: harness.database,
      config: { ...settingsOf(harness), webhookReach: reach, keyPeppers },
      log: createLog({ program: 'admin', level: 'silent' }),
      now: () => opened.now,
      stopping: stopping.signal,
      ...(resolve !== undefined && { resolve }),
    }),
  };
  return opened;
}

interface DeliveryRow {
  readonly id: string;
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly state: string;
  readonly attempts: number;
  readonly tries_left: number;
  readonly next_attempt_at: Date;
  readonly lease_ends_at: Date | null;
  readonly response_status: number | null;
  readonly response_body: string | null;
  readonly error: string | null;
}

export function deliveriesOf(harness: Harness, { id }: Pick<TestEndpoint, 'id'>): Promise<DeliveryRow[]> {
  return harness.database.sql<DeliveryRow[]>`
    SELECT * FROM webhook_deliveries WHERE endpoint_id = ${id} ORDER BY id`;
}

export async function deliveryOf(harness: Harness, endpoint: Pick<TestEndpoint, 'id'>): Promise<DeliveryRow> {
  const [delivery] = await deliveriesOf(harness, endpoint);
  if (delivery === undefined) throw new Error('there is no delivery');
  return delivery;
}
