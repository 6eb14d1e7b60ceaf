/** Every fault, in the order in which they are made. */
import { batchFaults } from './batch-faults.ts';
import type { Fault } from './fault.ts';
import { ledgerFaults } from './ledger-faults.ts';
import { mailFaults } from './mail-faults.ts';
import { moneyFaults } from './money-faults.ts';
import { programFaults } from './program-faults.ts';
import { providerFaults } from './provider-faults.ts';
import { redisFaults } from './redis-faults.ts';

export const allFaults: readonly Fault[] = [
  ...programFaults,
  ...redisFaults,
  ...providerFaults,
  ...moneyFaults,
  ...mailFaults,
  ...ledgerFaults,
  ...batchFaults,
];

/** Alerts whose fault cannot be made on one machine in a few minutes, and why. */
export const notMade: Readonly<Record<string, string>> = {};
