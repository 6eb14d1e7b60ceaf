/** A short form of the simulation of payments; `bun run simulate:payments` is the long one. */
import { expect, test } from 'bun:test';
import { simulatePayments } from './simulate.ts';

test('whatever providers, networks and admins do, the ledger ends equal to the providers’ truth', async () => {
  const { failed, booked, refunds, automatic } = await simulatePayments(
    Array.from({ length: 12 }, (_, index) => index + 1),
  );
  expect(failed).toEqual([]);
  expect(booked).toBeGreaterThan(20);
  expect(refunds).toBeGreaterThan(5);
  expect(automatic).toBeGreaterThan(5);
});
