/**
 * The workers of payments: they ask providers, end payments, continue refunds, top up automatically, count lots, and send
 * receipts of what was used.
 */
import { countAllLots } from '../lots/count-lots.ts';
import { runAutoTopUps } from '../payments/auto-top-up/run-auto-top-ups.ts';
import { sendOffsetReceipts } from '../payments/offset-receipts/send-receipts.ts';
import { writeOffsetReceipts } from '../payments/offset-receipts/write-receipts.ts';
import { openPayments } from '../payments/payment-services.ts';
import { expirePayments, pollProvider } from '../payments/poll-payments.ts';
import type { AdminServices } from '../services.ts';
import { type Repetition, repeat } from './repeat.ts';

const pollPauseMs = 1_000;
const topUpPauseMs = 1_000;
/** Lots are counted before they are needed, too; this keeps the work of each run small. */
const lotsPauseMs = 600_000;
/** Receipts are due once a month. */
const receiptsPauseMs = 600_000;
const sendPauseMs = 15_000;

export function startPayments(services: AdminServices, stopping: AbortSignal): Repetition[] {
  const { config, database, scanDatabase, log } = services;
  const payments = openPayments(services);
  return [
    ...[...payments.methods.keys()].map((method) =>
      repeat({
        name: `ask ${method} about payments`,
        pauseMs: pollPauseMs,
        log,
        step: () => pollProvider(payments, method, stopping),
      }),
    ),
    repeat({ name: 'expire orders', pauseMs: pollPauseMs, log, step: () => expirePayments(payments) }),
    repeat({ name: 'top up automatically', pauseMs: topUpPauseMs, log, step: () => runAutoTopUps(payments) }),
    repeat({
      name: 'count lots',
      pauseMs: lotsPauseMs,
      log,
      step: () => countAllLots(database.db, config.payments, { signal: stopping, scans: scanDatabase.db }),
    }),
    repeat({
      name: 'write offset receipts',
      pauseMs: receiptsPauseMs,
      log,
      step: () => writeOffsetReceipts(payments, stopping),
    }),
    repeat({ name: 'send offset receipts', pauseMs: sendPauseMs, log, step: () => sendOffsetReceipts(payments) }),
  ];
}
