/** When shards were recovered: a shard may be recovered again long after its loss, and refuses requests meanwhile. */
import type { Database } from '../../../admin/database/connect.ts';
import type { Shard } from '../../../shared/wallet/shard.ts';

export interface Recovery {
  readonly shard: Shard;
  readonly atMs: number;
}

export interface RecoveryWatch {
  readonly recoveries: readonly Recovery[];
  stop(): Promise<void>;
}

const lookEveryMs = 500;

/** From their epochs in the ledger, which may be away at times. */
export function watchRecoveries({ sql }: Database): RecoveryWatch {
  const recoveries: Recovery[] = [];
  const epochs = new Map<Shard, string>();
  let isWatching = true;
  const look = async () => {
    const rows = await sql<
      { shard: Shard; epoch: string; opened_at: Date }[]
    >`SELECT shard, epoch, opened_at FROM shards`;
    for (const { shard, epoch, opened_at: openedAt } of rows) {
      if (epochs.get(shard) === epoch) continue;
      epochs.set(shard, epoch);
      recoveries.push({ shard, atMs: openedAt.getTime() });
    }
  };
  const watch = async () => {
    while (isWatching) {
      await look().catch(() => {});
      await Bun.sleep(lookEveryMs);
    }
  };
  const watching = watch();
  return {
    recoveries,
    stop: () => {
      isWatching = false;
      return watching;
    },
  };
}
