/** Charges from Redis into the ledger; `bun run bench:apply` measures the same in more ways. */
import { drain } from '../../apply/drain.ts';
import { fillStreams } from '../../apply/fill-streams.ts';
import { startStores } from '../../apply/stores.ts';
import { withSpread } from '../../report/format.ts';
import type { Section } from '../../report/section.ts';
import type { Stage } from '../../stage/stage.ts';

const accountCount = 1_000;
const batchMax = 500;

export async function ledgerApply(stage: Stage): Promise<Section> {
  const eventCount = stage.quick ? 5_000 : 30_000;
  const stores = await startStores(accountCount);
  const rates: number[] = [];
  const cpu: number[] = [];
  try {
    await fillStreams(stores.redis, { eventCount, accountCount });
    await stores.keepDeliveries();
    // The first round warms up.
    for (let round = 0; round <= stage.rounds; round += 1) {
      const copy = await stores.freshDatabase();
      await stores.deliver();
      const drained = await drain({ stores, databaseUrl: copy.url, batchMax, appliers: 1 });
      await copy.drop();
      if (round === 0) continue;
      rates.push(drained.entries / drained.seconds);
      cpu.push((drained.cpuSeconds * 1e6) / drained.entries);
    }
  } finally {
    await stores.stop();
  }
  return {
    id: 'apply',
    title: 'Charges into the ledger',
    method:
      `${eventCount.toLocaleString('en')} charges of ${accountCount.toLocaleString('en')} accounts are pending in ` +
      `Redis; one admin books them in batches of ${batchMax} into a Postgres with fsync. Everything runs on the ` +
      'other core.',
    tables: [
      {
        columns: ['', 'charges/s', 'admin CPU µs per charge'],
        rows: [['one admin', withSpread(rates), withSpread(cpu)]],
      },
    ],
    notices: [],
    figures: { rates, cpu },
  };
}
