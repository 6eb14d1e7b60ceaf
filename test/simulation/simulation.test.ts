/** Money under every fault, by simulation; and every protection removed, which the simulation has to detect. */
import { describe, expect, test } from 'bun:test';
import { inCampaign } from '../harness/campaigns.ts';
import { type Mutant, mutants, profileOf } from './mutants.ts';
import { type ProfileName, profiles } from './profiles.ts';
import { simulate } from './simulate.ts';
import { renderSummary } from './summary.ts';

const seedsFrom = (first: number, count: number) => Array.from({ length: count }, (_, index) => first + index);
const runsOfPart: Record<ProfileName, number> = {
  usual: 15,
  overruns: 8,
  clamps: 8,
  clocks: 8,
  leases: 15,
  cents: 8,
  budgets: 15,
};
const runsOfWhole: typeof runsOfPart = {
  usual: 120,
  overruns: 40,
  clamps: 40,
  clocks: 40,
  leases: 90,
  cents: 60,
  budgets: 120,
};
const firstRun = (profile: ProfileName) => inCampaign(1, 1, runsOfPart[profile] + 1);
const lastRun = (profile: ProfileName) => inCampaign(runsOfPart, runsOfWhole)[profile];
/** All are found within 150; a change of the code may shift chance. */
const mutantRunsMax = 200;

/** A test of so few ends in time on a slow machine too. */
const runsOfTestMax = 30;

describe('lost, late and duplicate messages, crashes and data loss in Redis (campaign)', () => {
  for (const profile of Object.keys(profiles) as ProfileName[]) {
    for (let first = firstRun(profile); first <= lastRun(profile); first += runsOfTestMax) {
      const seeds = seedsFrom(first, Math.min(runsOfTestMax, lastRun(profile) + 1 - first));
      test(`violate nothing in the runs ${first} to ${seeds.at(-1)} of "${profile}"`, async () => {
        const summary = await simulate({ seeds, profile });
        expect(summary.failed, renderSummary(summary)).toEqual([]);
        expect(summary.requests).toBeGreaterThan(seeds.length * 5);
      });
    }
  }
});

/** Each once had a violation that revealed a bug in the protocol or in the simulation. */
const regressions: Partial<Record<ProfileName, readonly number[]>> = {
  usual: [9_022_214, 9_022_443, 9_024_743, 9_030_075, 9_031_218, 9_035_135, 20_001_457, 20_009_893, 20_027_593],
  leases: [61_003_203],
  cents: [61_000_005, 61_001_822, 61_002_645, 61_003_266, 61_004_058, 61_004_265],
};

test.each(Object.entries(regressions))('seeds of "%s" that have revealed bugs violate nothing', async (name, seeds) => {
  const summary = await simulate({ seeds, profile: name as ProfileName });
  expect(summary.failed, renderSummary(summary)).toEqual([]);
});

test('a seed is the same run alone and in a campaign', async () => {
  const campaign = seedsFrom(20_001_455, 4);
  const whole = await simulate({ seeds: campaign, profile: 'usual' });
  const alone = await simulate({ seeds: campaign.slice(-1), profile: 'usual' });
  const before = await simulate({ seeds: campaign.slice(0, -1), profile: 'usual' });
  expect(alone.requests + before.requests).toBe(whole.requests);
  for (const [fault, times] of whole.faults.counts) {
    expect((alone.faults.counts.get(fault) ?? 0) + (before.faults.counts.get(fault) ?? 0)).toBe(times);
  }
});

describe('the simulation finds a violation without the protection (campaign)', () => {
  for (const mutant of inCampaign<readonly Mutant[]>(mutants.slice(0, 4), mutants, mutants.slice(4))) {
    test(mutant, async () => {
      const profile = profileOf[mutant] ?? 'usual';
      const seeds = seedsFrom(1, mutantRunsMax);
      const summary = await simulate({ seeds, profile, mutant, untilViolation: true });
      expect(summary.failed).toHaveLength(1);
    });
  }
});
