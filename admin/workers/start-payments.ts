/** The workers of payments: they ask providers, end orders, continue refunds, top up automatically, and count lots. */
import { countAllLots } from '../lots/count-lots.ts';
import { askDuePayments } from '../payments/ask-payments.ts';
import { runAutoTopUps } from '../payments/auto-top-up/run-auto-top-ups.ts';
import { openPayments } from '../payments/payment-services.ts';
import type { AdminServices } from '../services.ts';
import { type Repetition, repeat } from './repeat.ts';

const askPauseMs = 1_000;
const topUpPauseMs = 1_000;
/** Lots are counted before they are needed, too; this keeps the work of each run small. */
const lotsPauseMs = 600_000;

export function startPayments(services: AdminServices, stopping: AbortSignal): Repetition[] {
  const { config, database, log } = services;
  const payments = openPayments(services);
  return [
    repeat({ name: 'ask about payments', pauseMs: askPauseMs, log, step: () => askDuePayments(payments) }),
    repeat({ name: 'top up automatically', pauseMs: topUpPauseMs, log, step: () => runAutoTopUps(payments) }),
    repeat({
      name: 'count lots',
      pauseMs: lotsPauseMs,
      log,
      step: () => countAllLots(database.db, config.payments, stopping),
    }),
  ];
}
