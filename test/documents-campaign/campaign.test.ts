/** A short campaign; `bun run campaign:documents` runs 10,000 documents. */
import { expect, test } from 'bun:test';
import { SeededRandom } from '../harness/seeded-random.ts';
import { runCampaign } from './campaign.ts';

test('eight processes that are killed at random issue every document once, without a gap', async () => {
  const { documents, problems } = await runCampaign(600, new SeededRandom(1));
  expect(problems).toEqual([]);
  expect(documents).toBeGreaterThanOrEqual(600);
}, 300_000);
