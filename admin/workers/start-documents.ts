/** The worker that issues documents by itself. */
import { issueDue } from '../documents/issue-due.ts';
import type { AdminServices } from '../services.ts';
import { type Repetition, repeat } from './repeat.ts';

const issuePauseMs = 60_000;

export function startDocuments(services: AdminServices, stopping: AbortSignal): Repetition {
  const due = { ...services, now: () => new Date() };
  const step = () => issueDue(due, stopping);
  return repeat({ name: 'issue documents', pauseMs: issuePauseMs, log: services.log, step });
}
