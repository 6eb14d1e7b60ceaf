/** What the table of billable units promises to everything that derives from it. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  type BillableUnit,
  countWithoutParts,
  perUnit,
  tokensOf,
  tokenUnits,
  type UnitCounts,
  units,
} from '../../../shared/usage/billable-units.ts';

test('no two units share a column, a price or a place in the detail of a charge', () => {
  for (const feature of ['column', 'detailAt', 'label'] as const) {
    expect(new Set(units.map((unit) => unit[feature])).size).toBe(units.length);
  }
  for (const feature of ['price', 'priceColumn'] as const) {
    expect(new Set(tokenUnits.map((unit) => unit[feature])).size).toBe(tokenUnits.length);
  }
});

test('the counts without their parts add up to all tokens, each token once', () => {
  const counts: fc.Arbitrary<UnitCounts> = fc.record(perUnit(() => fc.nat({ max: 1_000_000 })));
  fc.assert(
    fc.property(counts, (own) => {
      // Each whole includes its parts, and theirs.
      const withParts = (name: BillableUnit): number =>
        units.reduce((sum, part) => (part.partOf === name ? sum + withParts(part.name) : sum), own[name]);
      const whole = perUnit(({ name }) => withParts(name));
      for (const { name } of units) expect(countWithoutParts(whole, name)).toBe(own[name]);
      expect(tokensOf(whole)).toBe(tokenUnits.reduce((sum, { name }) => sum + own[name], 0));
    }),
  );
});
