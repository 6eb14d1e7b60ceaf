/** The workers that issue documents automatically. */
import { issueDueAdvances, issueDueServices } from '../documents/issue-due.ts';
import type { AdminServices } from '../services.ts';
import { type Repetition, repeat } from './repeat.ts';

const advancesPauseMs = 60_000;
/** It adds up what all accounts have used, which changes as slowly. */
const servicesPauseMs = 600_000;

export function startDocuments(services: AdminServices, stopping: AbortSignal): Repetition[] {
  const { log } = services;
  const due = { ...services, now: () => new Date() };
  return [
    repeat({
      name: 'issue advance invoices',
      pauseMs: advancesPauseMs,
      log,
      step: () => issueDueAdvances(due, stopping),
    }),
    repeat({
      name: 'issue documents of months',
      pauseMs: servicesPauseMs,
      log,
      step: () => issueDueServices(due, stopping),
    }),
  ];
}
