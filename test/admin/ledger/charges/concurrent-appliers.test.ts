/** Concurrent appliers of the same charges produce the same books as a single one. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { applyCharges } from '../../../../admin/ledger/charges/apply-charges.ts';
import type { Charge } from '../../../../admin/ledger/charges/read-usage-entry.ts';
import { inCampaign } from '../../../harness/campaigns.ts';
import { bookings, chargeOf, openLedger, readBooks, type TestLedger } from '../ledger.ts';

const appliers = 8;
const accountCount = 5;
const batchesEach = 12;
const sameRounds = inCampaign(4, 10);

const mixed = fc.record({
  requests: fc.array(
    fc.record({
      account: fc.nat(accountCount - 1),
      estimateNano: fc.option(fc.nat(1_000)),
      finalNano: fc.nat(1_000),
    }),
    { minLength: 40, maxLength: 80 },
  ),
  /** For each applier, its batches, each a list of positions among all charges: any order, any overlap. */
  batches: fc.array(fc.array(fc.array(fc.nat(), { minLength: 1, maxLength: 40 }), { maxLength: batchesEach }), {
    minLength: appliers,
    maxLength: appliers,
  }),
});

type Mixed = typeof mixed extends fc.Arbitrary<infer Value> ? Value : never;

function chargesOf({ requests }: Mixed, accountIds: readonly number[]): Charge[] {
  return requests.flatMap(({ account, estimateNano, finalNano }) => {
    const final = chargeOf(accountIds[account] ?? 0, { costNano: BigInt(finalNano) });
    return estimateNano === null ? [final] : [{ ...final, rank: 1 as const, costNano: BigInt(estimateNano) }, final];
  });
}

describe.each(bookings)('charges that are booked %s', (_way, options) => {
  async function withLedger(use: (ledger: TestLedger, accountIds: number[]) => Promise<void>): Promise<void> {
    const ledger = await openLedger(options);
    try {
      const accountIds: number[] = [];
      for (let count = 0; count < accountCount; count += 1) accountIds.push(await ledger.openAccount());
      await use(ledger, accountIds);
    } finally {
      await ledger.close();
    }
  }

  async function deadlocksOf({ sql }: TestLedger): Promise<number> {
    const [row] = await sql<{ deadlocks: string }[]>`
    SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()`;
    return Number(row?.deadlocks);
  }

  test('eight appliers with overlapping batches end with the books of one, in any order, without deadlock (campaign)', async () => {
    await fc.assert(
      fc.asyncProperty(mixed, (mixture) =>
        withLedger(async (ledger, accountIds) => {
          const charges = chargesOf(mixture, accountIds);
          // One of the eight gets whatever they leave out, as it would from the stream.
          const work = mixture.batches.map((batches) => [
            ...batches.map((positions) => positions.flatMap((position) => charges[position % charges.length] ?? [])),
          ]);
          work[0]?.push(charges);
          const applied = await Promise.all(
            work.map(async (batches) => {
              let count = 0;
              for (const batch of batches) count += (await applyCharges(ledger.sql, batch)).applied;
              return count;
            }),
          );

          const books = await readBooks(ledger);
          expect(books.violations).toEqual([]);
          const finals = charges.filter(({ rank }) => rank === 2);
          expect(books.requests).toEqual(new Map(finals.map((charge) => [charge.requestId, `2:${charge.costNano}`])));
          for (const accountId of accountIds) {
            const own = finals.filter((charge) => charge.accountId === accountId);
            expect(books.balances.get(accountId)).toBe(-own.reduce((sum, { costNano }) => sum + costNano, 0n));
          }
          const [events] = await ledger.sql`SELECT count(*)::int FROM usage_events`;
          expect(events?.count).toBe(applied.reduce((sum, count) => sum + count, 0));
          expect(await deadlocksOf(ledger)).toBe(0);
        }),
      ),
      // No shrinking: it would take minutes.
      { numRuns: inCampaign(2, 5, 3), endOnFailure: true },
    );
  });

  test('eight appliers with the same concurrent batches book each charge once (campaign)', async () => {
    await withLedger(async (ledger, accountIds) => {
      for (let round = 0; round < sameRounds; round += 1) {
        const charges = Array.from({ length: 300 }, (_, index) => chargeOf(accountIds[index % accountCount] ?? 0));
        const shuffled = () => [...charges].sort(() => Math.random() - 0.5);
        const batches = await Promise.all(Array.from({ length: appliers }, () => applyCharges(ledger.sql, shuffled())));
        expect(batches.reduce((sum, { applied }) => sum + applied, 0)).toBe(charges.length);
      }
      const books = await readBooks(ledger);
      expect(books.violations).toEqual([]);
      expect(books.lines).toBe(sameRounds * 300);
      expect(await deadlocksOf(ledger)).toBe(0);
    });
  });

  test('eight appliers with different charges of the same accounts do not deadlock, in any order (campaign)', async () => {
    await withLedger(async (ledger) => {
      const accountIds: number[] = [];
      for (let count = 0; count < 100; count += 1) accountIds.push(await ledger.openAccount());
      const rounds = inCampaign(8, 20);
      const apply = async () => {
        for (let round = 0; round < rounds; round += 1) {
          const shuffled = [...accountIds].sort(() => Math.random() - 0.5);
          await applyCharges(
            ledger.sql,
            shuffled.map((accountId) => chargeOf(accountId)),
          );
        }
      };
      await Promise.all(Array.from({ length: appliers }, apply));
      const books = await readBooks(ledger);
      expect(books.violations).toEqual([]);
      expect([...books.balances.values()]).toEqual([
        ...accountIds.slice(0, accountCount).map(() => 0n),
        ...accountIds.map(() => BigInt(-100 * appliers * rounds)),
      ]);
      expect(await deadlocksOf(ledger)).toBe(0);
    });
  });
});
