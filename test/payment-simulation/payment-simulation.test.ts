/** A short form of the simulation of payments; `bun run simulate:payments` is the long one. */
import { expect, test } from 'bun:test';
import { inCampaign } from '../harness/campaigns.ts';
import { simulatePayments } from './simulate.ts';

const seeds = Array.from({ length: 100 }, (_, index) => index + 1);
const runsMin = inCampaign(4, 12, 8);

test('the ledger ends equal to the providers’ truth, whatever providers, networks and admins do (campaign)', async () => {
  const summary = await simulatePayments(seeds, {
    // What happens in a run depends on which step is faster, so enough runs are made for each case to occur.
    isEnough: ({ runs, booked, refunds, automatic, failed }) =>
      failed.length > 0 || (runs >= runsMin && booked > 2 * runsMin && refunds > 0 && automatic > 0),
  });
  expect(summary.failed).toEqual([]);
  expect(summary.runs).toBeLessThan(seeds.length);
});
