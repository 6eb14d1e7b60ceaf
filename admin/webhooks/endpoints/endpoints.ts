/** The webhook endpoints of an organization: made, changed, given new secrets and deleted by those who may, each time audited. */
import { and, asc, count, eq, sql } from 'drizzle-orm';
import { GatewayError } from '../../../shared/errors.ts';
import type { AdminConfig } from '../../config/admin.ts';
import type { Db, DbOrTransaction, Transaction } from '../../database/connect.ts';
import { refuseDeleted, refuseUnproven } from '../../database/rows/account-state.ts';
import { attemptsMax, webhookDeliveries, webhookEndpoints } from '../../database/tables/webhooks.ts';
import { type Actor, recordAction } from '../../operations/audit/record-action.ts';
import type { WebhookEventType } from '../../operations/webhook-events/webhook-event.ts';
import { lockAsManager, type Manager } from '../../organizations/manager.ts';
import { generateSecret, sealEndpointSecret } from './secrets.ts';

export type Endpoint = typeof webhookEndpoints.$inferSelect;

/** Of an organization. */
export const endpointsMax = 10;
/** For how long the secret before signs too, after it was replaced. */
export const formerSecretHours = 24;

export interface EndpointFields {
  readonly url: string;
  readonly events: readonly WebhookEventType[];
  readonly active: boolean;
}

/** The only time that anyone sees the secret. */
export interface NewSecret {
  readonly endpoint: Endpoint;
  readonly secret: string;
}

interface Services {
  readonly db: Db;
  readonly config: Pick<AdminConfig, 'keyPeppers'>;
}

export function listEndpoints(db: DbOrTransaction, accountId: number): Promise<Endpoint[]> {
  return db
    .select()
    .from(webhookEndpoints)
    .where(eq(webhookEndpoints.accountId, accountId))
    .orderBy(asc(webhookEndpoints.createdAt), asc(webhookEndpoints.id));
}

export interface EndpointPlace {
  readonly accountId: number;
  readonly id: string;
}

const isOwn = ({ accountId, id }: EndpointPlace) =>
  and(eq(webhookEndpoints.accountId, accountId), eq(webhookEndpoints.id, id));

/** Throws GatewayError `not_found`, also for another account's. */
export async function findEndpoint(db: DbOrTransaction, place: EndpointPlace): Promise<Endpoint> {
  const [endpoint] = await db.select().from(webhookEndpoints).where(isOwn(place));
  if (endpoint === undefined) throw endpointNotFound();
  return endpoint;
}

/** The address was checked. Throws GatewayError `role_required`, `email_not_verified` or `too_many_webhooks`. */
export function createEndpoint(
  { db, config }: Services,
  actor: Actor,
  { manager, fields }: { manager: Manager; fields: EndpointFields },
): Promise<NewSecret> {
  const { accountId } = manager;
  return asManager(db, manager, async (transaction) => {
    await refuseDeleted(transaction, accountId);
    await refuseUnproven(transaction, accountId);
    await refuseTooMany(transaction, accountId);
    const id = Bun.randomUUIDv7();
    const secret = generateSecret();
    const [endpoint] = await transaction
      .insert(webhookEndpoints)
      .values({
        ...{ id, accountId, url: fields.url, events: [...fields.events], active: fields.active },
        sealedSecret: sealEndpointSecret(config, id, secret),
      })
      .returning();
    if (endpoint === undefined) throw new Error('an insert returned no endpoint');
    await record(transaction, actor, { action: 'create', endpoint, after: audited(endpoint) });
    return { endpoint, secret };
  });
}

/**
 * What waits is sent again from its first attempt when the endpoint becomes active, and while it is inactive nothing new is written for it.
 * A new address was checked. Throws GatewayError `role_required` or `not_found`.
 */
export function changeEndpoint(
  db: Db,
  actor: Actor,
  { manager, id, change }: { manager: Manager; id: string; change: Partial<EndpointFields> },
): Promise<Endpoint> {
  return asManager(db, manager, async (transaction) => {
    const before = await lockEndpoint(transaction, { accountId: manager.accountId, id });
    const { events, ...others } = change;
    const [endpoint] = await transaction
      .update(webhookEndpoints)
      .set({
        ...others,
        ...(events !== undefined && { events: [...events] }),
        ...(change.active !== undefined && { restedAt: null, restReason: null }),
      })
      .where(eq(webhookEndpoints.id, id))
      .returning();
    if (endpoint === undefined) throw new Error(`endpoint ${id} disappeared although its row is locked`);
    if (endpoint.active && !before.active) await resume(transaction, id);
    await record(transaction, actor, {
      ...{ action: 'update', endpoint, before: audited(before), after: audited(endpoint) },
    });
    return endpoint;
  });
}

async function resume(transaction: Transaction, endpointId: string): Promise<void> {
  await transaction
    .update(webhookDeliveries)
    .set({ triesLeft: attemptsMax, nextAttemptAt: sql`now()` })
    .where(and(eq(webhookDeliveries.endpointId, endpointId), eq(webhookDeliveries.state, 'pending')));
}

/** With its deliveries. Throws GatewayError `role_required` or `not_found`. */
export function deleteEndpoint(db: Db, actor: Actor, { manager, id }: { manager: Manager; id: string }): Promise<void> {
  return asManager(db, manager, async (transaction) => {
    const endpoint = await lockEndpoint(transaction, { accountId: manager.accountId, id });
    await transaction.delete(webhookDeliveries).where(eq(webhookDeliveries.endpointId, id));
    await transaction.delete(webhookEndpoints).where(eq(webhookEndpoints.id, id));
    await record(transaction, actor, { action: 'delete', endpoint, before: audited(endpoint) });
  });
}

/** The secret before signs too for a day; the one before that no longer does. Throws GatewayError `role_required` or `not_found`. */
export function rotateSecret(
  { db, config }: Services,
  actor: Actor,
  { manager, id }: { manager: Manager; id: string },
): Promise<NewSecret> {
  return asManager(db, manager, async (transaction) => {
    const before = await lockEndpoint(transaction, { accountId: manager.accountId, id });
    const secret = generateSecret();
    const [endpoint] = await transaction
      .update(webhookEndpoints)
      .set({
        sealedSecret: sealEndpointSecret(config, id, secret),
        formerSealedSecret: before.sealedSecret,
        formerSecretEndsAt: sql`now() + make_interval(hours => ${formerSecretHours})`,
      })
      .where(eq(webhookEndpoints.id, id))
      .returning();
    if (endpoint === undefined) throw new Error(`endpoint ${id} disappeared although its row is locked`);
    const formerSecretEndsAt = endpoint.formerSecretEndsAt?.toISOString();
    await record(transaction, actor, { action: 'rotate', endpoint, after: { formerSecretEndsAt } });
    return { endpoint, secret };
  });
}

/** Of an account that is deleted. */
export async function forgetWebhooks(transaction: Transaction, accountId: number): Promise<void> {
  await transaction.execute(sql`
    DELETE FROM webhook_deliveries WHERE endpoint_id IN (SELECT id FROM webhook_endpoints WHERE account_id = ${accountId})`);
  await transaction.delete(webhookEndpoints).where(eq(webhookEndpoints.accountId, accountId));
}

function asManager<Result>(
  db: Db,
  manager: Manager,
  work: (transaction: Transaction) => Promise<Result>,
): Promise<Result> {
  return db.transaction(async (transaction) => {
    await lockAsManager(transaction, manager, 'webhooks:manage');
    return work(transaction);
  });
}

async function lockEndpoint(transaction: Transaction, place: EndpointPlace): Promise<Endpoint> {
  const [endpoint] = await transaction.select().from(webhookEndpoints).where(isOwn(place)).for('update');
  if (endpoint === undefined) throw endpointNotFound();
  return endpoint;
}

async function refuseTooMany(transaction: Transaction, accountId: number): Promise<void> {
  const [existing] = await transaction
    .select({ endpoints: count() })
    .from(webhookEndpoints)
    .where(eq(webhookEndpoints.accountId, accountId));
  if (existing !== undefined && existing.endpoints >= endpointsMax) throw tooManyWebhooks();
}

interface Done {
  readonly action: 'create' | 'update' | 'delete' | 'rotate';
  readonly endpoint: Endpoint;
  readonly before?: object;
  readonly after?: object;
}

function record(transaction: Transaction, actor: Actor, { action, endpoint, ...states }: Done): Promise<void> {
  const { id, accountId } = endpoint;
  return recordAction(transaction, actor, {
    action: `webhook.${action}`,
    subject: `webhook ${id}`,
    accountId,
    ...states,
  });
}

const audited = ({ url, events, active }: Endpoint) => ({ url, events, active });

export const endpointNotFound = () =>
  new GatewayError('not_found', 'There is no such webhook endpoint.', {
    param: 'endpointId',
  });

export const tooManyWebhooks = () =>
  new GatewayError('too_many_webhooks', `An organization can have at most ${endpointsMax} webhook endpoints.`);
