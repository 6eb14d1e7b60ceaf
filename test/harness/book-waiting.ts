/** Books what waits in the usage streams, as admin's worker does, without waiting for what does not come. */
import { applyUsage } from '../../admin/workers/apply-usage.ts';
import { createLog } from '../../shared/log.ts';
import { allShards } from '../../shared/wallet/shard.ts';
import { UsageStream } from '../../shared/wallet/usage-stream/usage-stream.ts';
import type { Harness } from '../harness.ts';

const log = createLog({ program: 'test', level: 'error' });

export async function bookWaiting({ redis, database, keeper }: Harness): Promise<void> {
  const stream = new UsageStream(redis, () => {});
  const isEmpty = async () => {
    const lengths = await Promise.all(allShards.map((shard) => stream.length(shard)));
    return lengths.every((length) => length === 0);
  };
  while (!(await isEmpty())) await applyUsage({ database, keeper, log }, stream, allShards);
  stream.close();
}
