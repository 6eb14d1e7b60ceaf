/** The parts of a receipt add up to the charge, whatever the prices and the tokens. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import type { PriceRow } from '../../../../admin/database/rows/price-row.ts';
import { itemiseCharge, type UsageEvent } from '../../../../admin/ledger/queries/itemise-charge.ts';
import { noUsage } from '../../../../proxy/nouns/usage.ts';
import { costOf, picoUsdPerToken } from '../../../../shared/money.ts';

const price = fc.bigInt({ min: 0n, max: 10_000_000_000n });
const prices = fc.record({
  promptPico: price,
  cachedPromptPico: price,
  completionPico: price,
  cacheWritePico: fc.option(price),
  reasoningPico: fc.option(price),
});
const tokens = fc.nat({ max: 2_000_000 });
const usage = fc.record({ plain: tokens, cached: tokens, written: tokens, outputTokens: tokens, thought: tokens });

const eventOf = (of: { plain: number; cached: number; written: number; outputTokens: number; thought: number }) => ({
  ...noUsage,
  promptTokens: of.plain + of.cached + of.written,
  cachedPromptTokens: of.cached,
  cacheWriteTokens: of.written,
  completionTokens: of.outputTokens + of.thought,
  reasoningTokens: of.thought,
});

test('the parts of a receipt plus rounding minus uncharged equal the charge, within a nano-dollar', () => {
  fc.assert(
    fc.property(prices, usage, fc.nat({ max: 100 }), (row, used, percent) => {
      const cost = costOf(
        (
          [
            [used.plain, row.promptPico],
            [used.cached, row.cachedPromptPico],
            [used.written, row.cacheWritePico ?? row.promptPico],
            [used.outputTokens, row.completionPico],
            [used.thought, row.reasoningPico ?? row.completionPico],
          ] as const
        ).map(([count, pico]) => ({ count, price: picoUsdPerToken(pico) })),
      );
      const uncharged = (cost * BigInt(percent)) / 100n;
      const event = { ...eventOf(used), costNano: cost - uncharged, unchargedNano: uncharged };
      const itemised = itemiseCharge(event as UsageEvent, row as PriceRow);
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
