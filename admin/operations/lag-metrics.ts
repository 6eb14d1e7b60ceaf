/**
 * What is waiting, as metrics. It is read by a worker and not by the scrape, so that /metrics is also answered while
 * Postgres or Redis is away; `gateway_lag_read_at_seconds` then stops advancing. All replicas show the same.
 */
import { Gauge } from 'prom-client';
import { type Queue, type readLag, readStoredQueues, readUsageQueue } from './read-lag.ts';

const entries = new Gauge({
  name: 'gateway_queue_entries',
  help: 'Entries waiting: usage for the ledger, credits and keys for Redis (outbox), mails for their server',
  labelNames: ['queue'],
});
const age = new Gauge({
  name: 'gateway_queue_oldest_age_seconds',
  help: 'For how long the oldest entry of the queue has been waiting; 0 if none is',
  labelNames: ['queue'],
});
const failedMails = new Gauge({
  name: 'gateway_failed_mails',
  help: 'Mails that could not be delivered; an operator decides',
});
const rejectedUsage = new Gauge({
  name: 'gateway_rejected_usage_entries',
  help: 'Charges that could not be read and are not in the ledger; should be 0',
});
const readAt = new Gauge({
  name: 'gateway_lag_read_at_seconds',
  help: 'When the queues were last read, as a Unix timestamp; 0 for never',
});

/** One step of the worker. While one store is away, what waits in the other is still shown. */
export async function measureLag({ db, redis }: Parameters<typeof readLag>[0]): Promise<void> {
  const [usage, stored] = await Promise.allSettled([readUsageQueue(redis), readStoredQueues(db)]);
  const now = new Date();
  if (usage.status === 'fulfilled') showQueue('usage', usage.value, now);
  if (stored.status === 'fulfilled') {
    showQueue('outbox', stored.value.outbox, now);
    showQueue('mails', stored.value.mails, now);
    failedMails.set(stored.value.failedMails);
    rejectedUsage.set(stored.value.rejectedUsage);
  }
  for (const read of [usage, stored]) if (read.status === 'rejected') throw read.reason;
  readAt.set(now.getTime() / 1_000);
}

function showQueue(queue: 'usage' | 'outbox' | 'mails', { entries: waiting, oldestAt }: Queue, now: Date): void {
  entries.set({ queue }, waiting);
  const ageMs = oldestAt === null ? 0 : now.getTime() - oldestAt.getTime();
  age.set({ queue }, Math.max(0, ageMs) / 1_000);
}
