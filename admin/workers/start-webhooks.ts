/** The workers of webhooks: they send what is due, and report models that retire. */
import { readRetiringModels } from '../catalogue/retirements.ts';
import type { AdminServices } from '../services.ts';
import { WebhookSender } from '../webhooks/delivery/webhook-sender.ts';
import { reportRetirements } from '../webhooks/report-retirements.ts';
import { type Repetition, repeat } from './repeat.ts';

const sendPauseMs = 500;
/** A retirement is a matter of days; what was reported is not reported again. */
const retirementsPauseMs = 3_600_000;

export function startWebhooks(services: AdminServices, stopping: AbortSignal): Repetition[] {
  const { config, database, log } = services;
  const now = () => new Date();
  const sender = new WebhookSender({ config, database, log, now, stopping });
  return [
    repeat({ name: 'send webhooks', pauseMs: sendPauseMs, log, step: () => sender.sendDue() }),
    repeat({
      name: 'report retirements',
      pauseMs: retirementsPauseMs,
      log,
      step: async () => reportRetirements(database.sql, await readRetiringModels(database.db), now()),
    }),
  ];
}
