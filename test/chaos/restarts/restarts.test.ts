/** The short form of `bun run chaos:postgres`. */
import { expect, test } from 'bun:test';
import { inCampaign } from '../../harness/campaigns.ts';
import { restartPostgres } from './restart-postgres.ts';

test('admins survive Postgres restarts in the middle of transactions, and book everything once (campaign)', async () => {
  const { adminPids, violations, responses } = await restartPostgres({
    restarts: inCampaign(1, 4, 3),
    proxies: inCampaign(1, 2),
    seed: inCampaign(20_261_122, 20_261_122, 20_261_123),
    agesHolds: true,
  });
  expect(violations).toEqual([]);
  expect(adminPids.after).toEqual(adminPids.before);
  expect(responses.has('503 database_unavailable')).toBe(true);
});
