/** A short form of the simulation of payments; `bun run simulate:payments` is the long one. */
import { expect, test } from 'bun:test';
import { inCampaign } from '../harness/campaigns.ts';
import { simulatePayments } from './simulate.ts';

/** In each of the first four, a customer tops up automatically. */
const seeds = inCampaign([7, 8, 11, 12], [7, 8, 11, 12, 1, 2, 3, 4, 5, 6, 9, 10]);

test('whatever providers, networks and admins do, the ledger ends equal to the providers’ truth', async () => {
  const { failed, booked, refunds, automatic } = await simulatePayments(seeds);
  expect(failed).toEqual([]);
  expect(booked).toBeGreaterThan(seeds.length);
  expect(refunds).toBeGreaterThan(0);
  expect(automatic).toBeGreaterThan(0);
});
