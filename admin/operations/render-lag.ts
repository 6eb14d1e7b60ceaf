/** What is waiting, as JSON. */
import type { Lag, Queue } from './read-lag.ts';

export interface RenderedQueue {
  readonly entries: number;
  readonly oldestAt: string | null;
}

export function renderLag({ usage, outbox, mails, failedMails, rejectedUsage }: Lag) {
  return {
    usage: {
      ...renderQueue(usage),
      shards: usage.shards.map(({ shard, entries, oldestAt }) => ({
        shard: Number(shard),
        entries,
        oldestAt: oldestAt.toISOString(),
      })),
    },
    outbox: renderQueue(outbox),
    mails: renderQueue(mails),
    failedMails,
    rejectedUsage,
  };
}

function renderQueue({ entries, oldestAt }: Queue): RenderedQueue {
  return { entries, oldestAt: oldestAt?.toISOString() ?? null };
}
