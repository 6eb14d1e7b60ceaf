/** Money under every fault, by simulation; and every protection taken out, which the simulation has to notice. */
import { describe, expect, test } from 'bun:test';
import { mutants } from './mutants.ts';
import { renderSummary, simulate } from './simulate.ts';

const runs = 300;
/** Every mutant was found within sixty runs when this was written; chance may shift when the code changes. */
const mutantRunsMax = 1_500;

test(`${runs} runs with lost, late and doubled messages, killed programs and forgetful Redises violate nothing`, async () => {
  const summary = await simulate({ runs, firstSeed: 1 });
  expect(summary.failed, renderSummary(summary)).toEqual([]);
  expect(summary.requests).toBeGreaterThan(runs * 5);
});

test('the same seed gives the same run', async () => {
  const [one, other] = [await simulate({ runs: 3, firstSeed: 77 }), await simulate({ runs: 3, firstSeed: 77 })];
  expect(renderSummary(one)).toBe(renderSummary(other));
});

describe('without a protection the simulation finds a violation:', () => {
  for (const mutant of mutants) {
    test(mutant, async () => {
      const summary = await simulate({ runs: mutantRunsMax, firstSeed: 1, mutant, untilViolation: true });
      expect(summary.failed).toHaveLength(1);
    });
  }
});
