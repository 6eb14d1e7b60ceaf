/** The metrics of the ledger's months: partitions that are missing, and months that are not sealed. */
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { register } from 'prom-client';
import { makePartitions, partitionOf, readPartitionedUntil } from '../../../admin/database/partitions.ts';
import { measureMonths } from '../../../admin/operations/month-metrics.ts';
import { openLedger, type TestLedger } from '../ledger/ledger.ts';
import { sealBefore } from '../ledger/past-charges.ts';

let ledger: TestLedger;
beforeEach(async () => {
  ledger = await openLedger();
});
afterEach(() => ledger.close());

async function shown(name: string): Promise<number> {
  await measureMonths(ledger.db);
  const { values } = (await register.getSingleMetric(name)?.get()) ?? { values: [] };
  return Number(values[0]?.value);
}

/** Noon of the first day, so that no clock is at a border. */
const monthFromNow = (months: number) => {
  const now = new Date();
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + months, 1, 12));
};

test('partitions reach to the end of the month after the next', async () => {
  // Months apart, so that none reaches to another's; a year's end is among them.
  for (const months of [0, 6, 12]) {
    const from = monthFromNow(months);
    await makePartitions(ledger.sql, from);
    const until = await readPartitionedUntil(ledger.db, from);
    expect(until.toISOString()).toBe(
      `${monthFromNow(months + 3)
        .toISOString()
        .slice(0, 10)}T00:00:00.000Z`,
    );
  }
  expect(await shown('gateway_partitioned_until_seconds')).toBeGreaterThan(Date.now() / 1_000 + 31 * 86_400);
});

test.each(['ledger_lines', 'usage_events', 'usage_requests'])(
  'they reach only to the first that is missing, of any table (%s)',
  async (parent) => {
    await ledger.sql`DROP TABLE ${ledger.sql(partitionOf(parent, monthFromNow(1)))}`;
    const until = new Date((await shown('gateway_partitioned_until_seconds')) * 1_000);
    expect(until.toISOString()).toStartWith(monthFromNow(1).toISOString().slice(0, 10));
  },
);

test('a month that is due has been due since a week after its end, until it is sealed', async () => {
  expect(await shown('gateway_seal_overdue_seconds')).toBe(0);
  await makePartitions(ledger.sql, monthFromNow(-5));
  const due = Date.UTC(monthFromNow(-4).getUTCFullYear(), monthFromNow(-4).getUTCMonth(), 8);
  const expected = (Date.now() - due) / 1_000;
  expect(Math.abs((await shown('gateway_seal_overdue_seconds')) - expected)).toBeLessThan(120);
  await sealBefore(ledger, monthFromNow(-2));
  expect(await shown('gateway_seal_overdue_seconds')).toBe(0);
});
