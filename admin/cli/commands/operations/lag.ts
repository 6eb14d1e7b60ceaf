/** `gateway lag`: pending work. */
import { readLag } from '../../../operations/read-lag.ts';
import { type RenderedQueue, renderLag } from '../../../operations/render-lag.ts';
import { command } from '../../command.ts';
import { withDatabase } from '../../with-database.ts';
import { requireRedis } from '../../with-redis.ts';

export const lag = command({
  description: 'Show pending work: usage, credits, keys and e-mails',
  args: {},
  run: () =>
    withDatabase(({ db }) =>
      requireRedis(async (redis) => {
        const rendered = renderLag(await readLag({ db, redis }));
        const { usage, outbox, mails, failedMails, rejectedUsage } = rendered;
        const lines = [
          `Usage for the ledger          ${describeQueue(usage)}`,
          ...usage.shards.map((shard) => `  shard ${shard.shard}: ${describeQueue(shard)}`),
          `Credits and keys for Redis    ${describeQueue(outbox)}`,
          `E-mails to send               ${describeQueue(mails)}`,
          `E-mails given up              ${failedMails}`,
          `Unreadable usage              ${rejectedUsage}`,
        ];
        return { text: lines.join('\n'), object: rendered };
      }),
    ),
});

function describeQueue({ entries, oldestAt }: RenderedQueue): string {
  return oldestAt === null ? String(entries) : `${entries}, the oldest from ${oldestAt}`;
}
