/**
 * What charges say of the dimensions of their account: groups sum to the account's usage to the nano-dollar and are what was
 * booked, with estimates, their corrections, several appliers at once, and more values than a month may have.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { applyCharges } from '../../../../admin/ledger/charges/apply-charges.ts';
import { valuesMax } from '../../../../admin/ledger/charges/name-values.ts';
import type { Charge } from '../../../../admin/ledger/charges/read-usage-entry.ts';
import { readUsage } from '../../../../admin/ledger/queries/usage/read-usage.ts';
import { findViolation } from '../../../../admin/wallets/reconcile/checks/check-books.ts';
import type { DimensionName } from '../../../../shared/usage/dimension-names.ts';
import { inCampaign } from '../../../harness/campaigns.ts';
import { bookings, chargeOf, openLedger, type TestLedger } from '../ledger.ts';

type Values = Readonly<Record<string, string>> | null;

const names: readonly DimensionName[] = ['user', 'metadata.team', 'metadata.feature'];
const january = Date.UTC(2030, 0, 1);
const month = 31 * 86_400_000;
const hour = 3_600_000;

const texts = fc.constantFrom('a', 'b', '…other', 'null', '"\\{},', '😀'.repeat(64));
const values: fc.Arbitrary<Values> = fc.option(
  fc.record({ user: texts, 'metadata.team': texts, 'metadata.unknown': texts }, { requiredKeys: [] }),
);
const requests = fc.array(
  fc.record({
    account: fc.nat(2),
    values,
    /** Of the estimate, if there is one: that of an opening hold has none. */
    estimate: fc.option(fc.record({ costNano: fc.nat(500), isOpening: fc.boolean(), earlierMs: fc.nat(3 * hour) })),
    costNano: fc.nat(500),
    afterMs: fc.integer({ min: -hour, max: month + hour }),
  }),
  { minLength: 20, maxLength: 60 },
);
type Requests = typeof requests extends fc.Arbitrary<infer Value> ? Value : never;

const withValues = (charge: Charge, dimensions: Values): Charge => ({
  ...charge,
  detail: { ...charge.detail, dimensions },
});

function chargesOf(list: Requests, accountIds: readonly number[]): Charge[] {
  return list.flatMap(({ account, values: said, estimate, costNano, afterMs }) => {
    const chargedAt = new Date(january + afterMs);
    const base = chargeOf(accountIds[account] ?? 0, { costNano: BigInt(costNano), chargedAt });
    const final = withValues(base, said);
    if (estimate === null) return [final];
    const earlier = new Date(chargedAt.getTime() - estimate.earlierMs);
    const estimated = { ...base, rank: 1 as const, costNano: BigInt(estimate.costNano), chargedAt: earlier };
    return [withValues(estimated, estimate.isOpening ? null : said), final];
  });
}

async function switchOn({ sql }: TestLedger, accountId: number, asked = names): Promise<ReadonlyMap<string, number>> {
  const ids = new Map<string, number>();
  for (const name of asked) {
    const [row] = await sql<{ id: string }[]>`
      INSERT INTO dimensions (account_id, name, active) VALUES (${accountId}, ${name}, true) RETURNING id`;
    ids.set(name, Number(row?.id));
  }
  return ids;
}

async function groupsOf({ sql }: TestLedger, accountId: number, id: number, name: DimensionName) {
  const sums = await readUsage(sql, {
    accountId,
    dimension: { id, name },
    ...{ from: new Date(january - month), to: new Date(january + 3 * month) },
    ...{ timeZone: 'UTC', groupBy: new Set<never>(), rowsMax: 5_000 },
  });
  return new Map(sums.map((sum) => [sum.value, { requests: sum.requests, costNano: sum.costNano as bigint }]));
}

function expectedGroups(charges: readonly Charge[], name: string) {
  const groups = new Map<string | null, { requests: number; costNano: bigint }>();
  for (const { rank, detail, costNano } of charges) {
    if (rank !== 2) continue;
    const value = detail.dimensions?.[name] ?? null;
    const { requests: count, costNano: sum } = groups.get(value) ?? { requests: 0, costNano: 0n };
    groups.set(value, { requests: count + 1, costNano: sum + costNano });
  }
  return groups;
}

describe.each(bookings)('charges that are booked %s', (_way, options) => {
  let ledger: TestLedger;
  beforeAll(async () => {
    ledger = await openLedger(options);
  });
  afterAll(() => ledger.close());

  test('groups are what requests said, whichever replica books the charges, in any order (campaign)', async () => {
    const property = fc.asyncProperty(requests, fc.array(fc.nat(), { minLength: 40 }), async (list, positions) => {
      const accountIds = [await ledger.openAccount(), await ledger.openAccount(), await ledger.openAccount()];
      const [one = 0, other = 0] = accountIds;
      const dimensions = [await switchOn(ledger, one), await switchOn(ledger, other, ['metadata.team'])];
      const charges = chargesOf(list, accountIds);
      const pick = (from: number) =>
        positions.slice(from, from + 20).flatMap((position) => charges[position % charges.length] ?? []);
      await Promise.all([pick(0), pick(20), charges].map((batch) => applyCharges(ledger.sql, batch)));
      for (const [index, accountId] of [one, other].entries()) {
        const own = charges.filter((charge) => charge.accountId === accountId);
        for (const name of names) {
          const id = dimensions[index]?.get(name);
          if (id === undefined) continue;
          expect(await groupsOf(ledger, accountId, id, name)).toEqual(expectedGroups(own, name));
        }
      }
      const [third] = await ledger.sql`
        SELECT FROM usage_events WHERE account_id = ${accountIds[2] ?? 0} AND dimension_values IS NOT NULL`;
      expect(third).toBeUndefined();
      expect(await findViolation(ledger.sql)).toBeUndefined();
    });
    await fc.assert(property, { numRuns: inCampaign(5, 15), endOnFailure: true });
  });

  test('a month has 1,000 values and `…other`, however many appliers bring new ones', async () => {
    const accountId = await ledger.openAccount();
    const ids = await switchOn(ledger, accountId, ['user']);
    const charged = (user: string, afterMs = 0) =>
      withValues(chargeOf(accountId, { chargedAt: new Date(january + afterMs) }), { user });
    const appliers = 4;
    const perApplier = valuesMax / appliers + 25;
    await Promise.all(
      Array.from({ length: appliers }, async (_, applier) => {
        for (let start = 0; start < perApplier; start += 50) {
          const batch = Array.from({ length: Math.min(50, perApplier - start) }, (_each, place) =>
            charged(`user ${applier} ${start + place}`),
          );
          await applyCharges(ledger.sql, batch);
        }
      }),
    );
    const id = ids.get('user') ?? 0;
    const groups = await groupsOf(ledger, accountId, id, 'user');
    expect(groups.size).toBe(valuesMax + 1);
    expect(groups.get('…other')?.requests).toBe(100);
    const [known] = [...groups.keys()].filter((value) => value !== '…other');
    await applyCharges(ledger.sql, [charged(known ?? ''), charged('late'), charged('late', month)]);
    const after = await groupsOf(ledger, accountId, id, 'user');
    expect(after.get(known ?? '')?.requests).toBe(2);
    expect(after.get('…other')?.requests).toBe(101);
    expect(after.get('late')?.requests).toBe(1);
    expect(await findViolation(ledger.sql)).toBeUndefined();
  });

  test('a batch that fails attributes nothing, and nothing twice when it is booked again', async () => {
    const accountId = await ledger.openAccount();
    const ids = await switchOn(ledger, accountId, ['user']);
    const charge = withValues(chargeOf(accountId, { chargedAt: new Date(january) }), { user: 'u' });
    await ledger.sql`ALTER TABLE dimension_totals ADD CONSTRAINT test_only CHECK (model <> 'test/chat') NOT VALID`;
    await expect(applyCharges(ledger.sql, [charge])).rejects.toThrow();
    const [left] = await ledger.sql`
      SELECT FROM dimension_values WHERE dimension_id = ${ids.get('user') ?? 0}`;
    expect(left).toBeUndefined();
    await ledger.sql`ALTER TABLE dimension_totals DROP CONSTRAINT test_only`;
    await applyCharges(ledger.sql, [charge]);
    await applyCharges(ledger.sql, [charge]);
    const groups = await groupsOf(ledger, accountId, ids.get('user') ?? 0, 'user');
    expect([...groups]).toEqual([['u', { requests: 1, costNano: 100n }]]);
  });

  test('reconciling finds a total of a value that differs from its events', async () => {
    const accountId = await ledger.openAccount();
    const ids = await switchOn(ledger, accountId, ['user']);
    const id = ids.get('user') ?? 0;
    await applyCharges(ledger.sql, [withValues(chargeOf(accountId, { chargedAt: new Date(january) }), { user: 'u' })]);
    await ledger.sql`UPDATE dimension_totals SET cost_nano = cost_nano + 7 WHERE dimension_id = ${id}`;
    expect(await findViolation(ledger.sql)).toContain('dimension user');
    await ledger.sql`UPDATE dimension_totals SET cost_nano = cost_nano - 7 WHERE dimension_id = ${id}`;
    expect(await findViolation(ledger.sql)).toBeUndefined();
    await ledger.sql`DELETE FROM dimension_totals WHERE dimension_id = ${id}`;
    expect(await findViolation(ledger.sql)).toContain('dimension user');
    await ledger.sql`
      INSERT INTO dimension_totals (dimension_id, bucket_15m, value_id, key_id, model, requests, prompt_tokens,
        cached_prompt_tokens, completion_tokens, reasoning_tokens, cost_nano)
      SELECT dimension_id, ${new Date(january)}, id, 1, 'test/chat', 1, 3, 1, 5, 2, 100 FROM dimension_values
      WHERE dimension_id = ${id}`;
    expect(await findViolation(ledger.sql)).toBeUndefined();
  });
});
