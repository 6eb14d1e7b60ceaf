/** Months are sealed and archived while everything goes wrong; `bun run simulate:seals` runs any number of seeds. */
import { describe, expect, test } from 'bun:test';
import { inCampaign } from '../harness/campaigns.ts';
import { type Mutant, mutants } from './mutants.ts';
import { simulateSeals } from './simulate.ts';

const runsOfPart = 3;
const runsOfWhole = 20;
const seedsFrom = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index);
const seeds = inCampaign(seedsFrom(1, runsOfPart), seedsFrom(1, runsOfWhole), seedsFrom(runsOfPart + 1, runsOfWhole));
/** Each is found within a few; a change of the code may shift chance. */
const mutantRunsMax = 60;

test('sealed months hold what was charged, and whatever is changed in them is found (campaign)', async () => {
  const summary = await simulateSeals({ seeds });
  expect(summary.failed).toEqual([]);
  expect(summary.sealed).toBeGreaterThan(seeds.length / 2);
  expect(summary.changes.size).toBeGreaterThan(1);
});

describe('the simulation finds a violation without the protection (campaign)', () => {
  for (const mutant of inCampaign<readonly Mutant[]>(mutants.slice(0, 1), mutants, mutants.slice(1))) {
    test(mutant, async () => {
      const { failed } = await simulateSeals({ seeds: seedsFrom(1, mutantRunsMax), mutant, untilViolation: true });
      expect(failed).toHaveLength(1);
    });
  }
});
