/**
 * How fast usage is booked from Redis into the ledger: real Redis, real and durable Postgres; draws from leases fill
 * the streams and the real `applyUsage` empties them. `bun run bench:apply`, with `--events` and `--accounts`.
 * With `--fill N`, a ledger of N charges is measured beside an empty one instead: see full-ledger.ts.
 *
 * Then it checks correctness: eight appliers work on the same events, and everything is delivered twice. Both must end
 * with the same ledger and without a deadlock; otherwise the program fails.
 */
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { connectDatabase } from '../../admin/database/connect.ts';
import { endChildrenAtExit } from '../../local/processes/child.ts';
import { type Books, readBooks } from './books.ts';
import { type Drained, drain } from './drain.ts';
import { fillStreams } from './fill-streams.ts';
import { measureFullLedger } from './full-ledger.ts';
import { readBytes, readProfile, resetProfile } from './profile.ts';
import { type Stores, startStores } from './stores.ts';

const batchSizes = [50, 100, 250, 500, 1_000, 2_000];
const productionBatch = 1_000;

endChildrenAtExit();
const { values } = parseArgs({
  options: {
    events: { type: 'string', default: '50000' },
    accounts: { type: 'string', default: '1000' },
    fill: { type: 'string', default: '0' },
  },
});
const eventCount = Number(values.events);
const accountCount = Number(values.accounts);
const charges = Number(values.fill);

interface Run {
  readonly name: string;
  readonly batchMax: number;
  readonly appliers: number;
  readonly deliveries: number;
  readonly profiled?: boolean;
  /** As version 0.1.0 books: three rows a charge. */
  readonly withHeads?: boolean;
}

const runs: Run[] = [
  { name: 'warm-up', batchMax: productionBatch, appliers: 1, deliveries: 1 },
  ...batchSizes.map((batchMax) => ({ name: 'one applier', batchMax, appliers: 1, deliveries: 1 })),
  ...[false, true, false, true].map((withHeads) => ({
    ...{ name: `one applier, ${withHeads ? 'three rows' : 'one row'} a charge`, withHeads },
    ...{ batchMax: productionBatch, appliers: 1, deliveries: 1, profiled: true },
  })),
  { name: 'eight appliers at the same events', batchMax: productionBatch, appliers: 8, deliveries: 1 },
  { name: 'everything twice', batchMax: productionBatch, appliers: 1, deliveries: 2 },
];

async function run(stores: Stores, { name, batchMax, appliers, deliveries, profiled, withHeads }: Run): Promise<Books> {
  const copy = await stores.freshDatabase();
  const database = connectDatabase(copy.url, { connections: 1 });
  try {
    if (withHeads) await database.sql`UPDATE ledger_settings SET compact = false`;
    if (profiled) await resetProfile(database.sql);
    for (let delivery = 1; delivery <= deliveries; delivery += 1) {
      await stores.deliver();
      const drained = await drain({ stores, databaseUrl: copy.url, batchMax, appliers });
      print(delivery === 1 ? name : `${name}: again`, { batchMax, ...drained });
    }
    if (profiled) {
      console.table(await readProfile(database.sql, eventCount));
      console.log(`${await readBytes(database.sql, eventCount)} bytes a charge, without totals`);
    }
    return await readBooks(database.sql);
  } finally {
    await database.close();
    await copy.drop();
  }
}

function print(
  name: string,
  { batchMax, entries, seconds, cpuSeconds, postgresCpuSeconds, failures }: Drained & { batchMax: number },
): void {
  const rate = Math.round(eventCount / seconds).toLocaleString('en');
  const perEvent = (cpu: number) => ((cpu / eventCount) * 1e6).toFixed(1);
  const delivered = entries === eventCount ? '' : `, ${entries.toLocaleString('en')} deliveries`;
  const repeated = failures === 0 ? '' : `, ${failures} steps repeated`;
  console.log(
    `${name}, batches of ${batchMax}: ${rate} events/s, ${perEvent(cpuSeconds)} µs of own CPU each and ${perEvent(postgresCpuSeconds)} of Postgres'${delivered}${repeated}`,
  );
}

function findProblems(books: Books, { name }: Run, expectedNano: bigint): string[] {
  const wrong = [...books.violations];
  if (books.spentNano !== expectedNano) wrong.push(`spent ${books.spentNano}, should be ${expectedNano}`);
  if (books.deadlocks > 0) wrong.push(`${books.deadlocks} deadlocks`);
  return wrong.map((problem) => `${name}: ${problem}`);
}

console.log(`${cpus()[0]?.model}, ${cpus().length} cores; ${eventCount} events of ${accountCount} accounts`);
const stores = await startStores(accountCount);
const wrong: string[] = [];
try {
  if (charges > 0) {
    wrong.push(...(await measureFullLedger(stores, { charges, eventCount, accountCount, batchMax: productionBatch })));
  } else {
    const { chargedNano } = await fillStreams(stores.redis, { eventCount, accountCount });
    await stores.keepDeliveries();
    for (const each of runs) wrong.push(...findProblems(await run(stores, each), each, chargedNano));
  }
} finally {
  await stores.stop();
}
const right = charges > 0 ? 'The books agree.' : 'The books are the same after every run; no deadlock.';
console.log(wrong.length === 0 ? right : wrong.join('\n'));
process.exit(wrong.length === 0 ? 0 : 1);
