/** The parts of a receipt add up to the charge, whatever the prices and the tokens. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import type { PriceRow } from '../../../../admin/database/rows/price-row.ts';
import { itemiseCharge } from '../../../../admin/ledger/queries/itemise-charge.ts';
import type { UsageEvent } from '../../../../admin/ledger/queries/usage-event.ts';
import { noUsage } from '../../../../proxy/nouns/usage.ts';
import { costOf, picoUsdPerToken } from '../../../../shared/money.ts';
import type { EncodedPrices, StoredRate } from '../../../../shared/usage/rate-prices.ts';

const price = fc.bigInt({ min: 0n, max: 10_000_000_000n });
const prices = fc.record({
  promptPico: price,
  cachedPromptPico: price,
  completionPico: price,
  cacheWritePico: fc.option(price),
  cacheWrite1hPico: fc.option(price),
  reasoningPico: fc.option(price),
});
type Prices = typeof prices extends fc.Arbitrary<infer Value> ? Value : never;
const tokens = fc.nat({ max: 2_000_000 });
const usage = fc.record({
  plain: tokens,
  cached: tokens,
  written: tokens,
  writtenLong: tokens,
  outputTokens: tokens,
  thought: tokens,
});

type Used = Readonly<Record<'plain' | 'cached' | 'written' | 'writtenLong' | 'outputTokens' | 'thought', number>>;

const eventOf = (of: Used) => ({
  ...noUsage,
  promptTokens: of.plain + of.cached + of.written + of.writtenLong,
  cachedPromptTokens: of.cached,
  cacheWriteTokens: of.written + of.writtenLong,
  // As it is stored.
  cacheWrite1hTokens: of.writtenLong === 0 ? null : of.writtenLong,
  completionTokens: of.outputTokens + of.thought,
  reasoningTokens: of.thought,
});

/** With rates that do not apply around the one that does. */
function storedRates(rate: Prices | null): readonly StoredRate[] | null {
  if (rate === null) return null;
  const named = Object.entries(rate).flatMap(([name, pico]) =>
    pico === null ? [] : [[name.replace('Pico', ''), String(pico)] as const],
  );
  const listed: EncodedPrices = Object.fromEntries(named);
  const other = { provider: {}, listed: { prompt: '1', completion: '1' } };
  return [
    { tier: 'default', above: 200_000, ...other },
    { tier: 'flex', above: 0, ...other },
    { tier: 'flex', above: 200_000, provider: {}, listed },
  ];
}

test('the parts of a receipt plus rounding minus uncharged equal the charge, within a nano-dollar', () => {
  fc.assert(
    fc.property(prices, fc.option(prices), usage, fc.nat({ max: 100 }), (usual, rate, used, percent) => {
      const row = rate ?? usual;
      const cost = costOf(
        (
          [
            [used.plain, row.promptPico],
            [used.cached, row.cachedPromptPico],
            [used.written, row.cacheWritePico ?? row.promptPico],
            [used.writtenLong, row.cacheWrite1hPico ?? row.cacheWritePico ?? row.promptPico],
            [used.outputTokens, row.completionPico],
            [used.thought, row.reasoningPico ?? row.completionPico],
          ] as const
        ).map(([count, pico]) => ({ count, price: picoUsdPerToken(pico) })),
      );
      const uncharged = (cost * BigInt(percent)) / 100n;
      const variant = rate === null ? '' : 'flex>200000';
      const event = { ...eventOf(used), variant, costNano: cost - uncharged, unchargedNano: uncharged };
      const itemised = itemiseCharge(event as UsageEvent, { ...usual, rates: storedRates(rate) } as PriceRow);
      expect(itemised.rate?.above).toBe(rate === null ? undefined : 200_000);
      const parts = itemised.parts.reduce((sum, { exact }) => sum + exact, 0n);
      expect(parts).toBe(itemised.exact);
      expect(parts + itemised.rounding - uncharged * 1_000n).toBe(itemised.chargedNano * 1_000n);
      expect(itemised.rounding >= 0n && itemised.rounding < 1_000n).toBe(true);
      expect(itemised.totalNano).toBe(cost);
      const counted = itemised.parts.reduce((sum, part) => sum + part.count, 0);
      expect(counted).toBe(event.promptTokens + event.completionTokens);
    }),
  );
});
