/** The short form of `bun run rehearse:migrations`, which measures for how long locks were held as well. */
import { expect, test } from 'bun:test';
import { inCampaign } from '../../harness/campaigns.ts';
import { chargesOfPosting, migrateUnderLoad } from './migrate-under-load.ts';

test('a ledger of version 0.1.0 is migrated while its charges are booked, of which none fails (campaign)', async () => {
  const charges = inCampaign(20_000, 200_000);
  const { missing, postings, charged } = await migrateUnderLoad({ charges, calmMs: 200 });
  expect(missing).toEqual([]);
  expect(postings).toBeGreaterThan(0);
  expect(charged).toBe(charges + postings * chargesOfPosting);
});
