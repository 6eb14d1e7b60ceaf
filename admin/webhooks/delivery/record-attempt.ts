/**
 * Records what came of an attempt: delivered, to be tried again after a growing pause, or failed for good. Then the endpoint rests:
 * nothing is sent to it until someone activates it again, and the owners of its organization receive a mail.
 */
import { and, asc, eq, isNull, sql } from 'drizzle-orm';
import type { Db, Transaction } from '../../database/connect.ts';
import { readSettings } from '../../database/rows/notification-settings.ts';
import { memberships, users } from '../../database/tables/accounts.ts';
import { attemptsMax, webhookDeliveries, webhookEndpoints } from '../../database/tables/webhooks.ts';
import { queueMail } from '../../mail/queue/queue-mail.ts';
import { testEventType } from '../../operations/webhook-events/webhook-event.ts';
import { type Attempted, isGone } from './attempt-delivery.ts';
import type { ClaimedDelivery } from './claim-deliveries.ts';

const [secondMs, minuteMs, hourMs] = [1_000, 60_000, 3_600_000];

/** After each attempt but the last: they make a day. */
export const pausesMs: readonly number[] = [
  ...[5 * secondMs, minuteMs, 5 * minuteMs, 15 * minuteMs, 30 * minuteMs],
  ...[hourMs, 3 * hourMs, 6 * hourMs, 12 * hourMs],
];
/** So that what failed together is not tried again together. */
const jitterShare = 0.1;

export type Outcome = 'delivered' | 'put_off' | 'failed' | 'rested';

interface Recording {
  readonly delivery: ClaimedDelivery;
  readonly attempted: Attempted;
  readonly now: Date;
}

/** Nothing is recorded if a newer attempt has begun. */
export function recordAttempt(db: Db, recording: Recording): Promise<Outcome> {
  const { delivery, attempted } = recording;
  if (attempted.isDelivered) return finish(db, recording, 'delivered');
  if (delivery.triesLeft > 0 && !isGone(attempted)) return putOff(db, recording);
  if (delivery.type === testEventType) return finish(db, recording, 'failed');
  return db.transaction(async (transaction) => {
    const outcome = await finish(transaction, recording, 'failed');
    return (await rest(transaction, recording)) ? 'rested' : outcome;
  });
}

/** It ended without having been attempted for long enough to count: another sender takes it at once. */
export async function giveBack(db: Db, { id, attempt }: ClaimedDelivery): Promise<void> {
  await db
    .update(webhookDeliveries)
    .set({ leaseEndsAt: null, triesLeft: sql`tries_left + 1` })
    .where(isNewest({ id, attempt }));
}

const isNewest = ({ id, attempt }: Pick<ClaimedDelivery, 'id' | 'attempt'>) =>
  and(eq(webhookDeliveries.id, id), eq(webhookDeliveries.attempts, attempt));

const resultOf = ({ attempted: { status, body, error }, now }: Recording) => ({
  leaseEndsAt: null,
  attemptedAt: now,
  responseStatus: status,
  responseBody: body,
  error,
});

async function finish(
  db: Pick<Db, 'update'>,
  recording: Recording,
  state: 'delivered' | 'failed',
): Promise<'delivered' | 'failed'> {
  await db
    .update(webhookDeliveries)
    .set({ ...resultOf(recording), state })
    .where(isNewest(recording.delivery));
  return state;
}

async function putOff(db: Db, recording: Recording): Promise<'put_off'> {
  const { delivery, now } = recording;
  const pauseMs = pausesMs[attemptsMax - 1 - delivery.triesLeft] ?? 0;
  const nextAttemptAt = new Date(now.getTime() + pauseMs * (1 + Math.random() * jitterShare));
  await db
    .update(webhookDeliveries)
    .set({ ...resultOf(recording), nextAttemptAt })
    .where(isNewest(delivery));
  return 'put_off';
}

/** False if it was inactive already. One mail to each owner, whatever else fails at the same time. */
async function rest(transaction: Transaction, { delivery, attempted, now }: Recording): Promise<boolean> {
  const { endpoint, type } = delivery;
  const reason = `${type} was not delivered: ${attempted.error}`;
  const rested = await transaction
    .update(webhookEndpoints)
    .set({ active: false, restedAt: now, restReason: reason })
    .where(and(eq(webhookEndpoints.id, endpoint.id), eq(webhookEndpoints.active, true)))
    .returning({ accountId: webhookEndpoints.accountId, endpointUrl: webhookEndpoints.url });
  for (const { accountId, endpointUrl } of rested) {
    const { language } = await readSettings(transaction, accountId);
    const data = { endpointUrl, type, error: attempted.error ?? '', restedAt: now.toISOString() };
    for (const to of await ownersOf(transaction, accountId)) {
      await queueMail(transaction, { kind: 'webhook_rested', data, to, language, accountId });
    }
  }
  return rested.length > 0;
}

async function ownersOf(transaction: Transaction, accountId: number): Promise<string[]> {
  const owners = await transaction
    .select({ email: users.email })
    .from(memberships)
    .innerJoin(users, eq(users.id, memberships.userId))
    .where(and(eq(memberships.accountId, accountId), eq(memberships.role, 'owner'), isNull(users.deletedAt)))
    .orderBy(asc(users.id));
  return owners.map(({ email }) => email);
}
