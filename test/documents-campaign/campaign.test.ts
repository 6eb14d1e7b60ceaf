/** A short campaign; `bun run campaign:documents` runs 10,000 documents. */
import { expect, test } from 'bun:test';
import { inCampaign } from '../harness/campaigns.ts';
import { SeededRandom } from '../harness/seeded-random.ts';
import { runCampaign } from './campaign.ts';

const count = inCampaign(50, 240, 190);
const seed = inCampaign(1, 1, 2);

test('eight processes that are killed at random issue every document once, without a gap (campaign)', async () => {
  const { documents, problems } = await runCampaign(count, new SeededRandom(seed));
  expect(problems).toEqual([]);
  expect(documents).toBeGreaterThanOrEqual(count);
});
