/** The mail workers: they fetch the exchange rate for thresholds, write owed alerts, and send mails. */
import { readRate } from '../catalogue/exchange-rate/exchange-rate.ts';
import { RateKeeper } from '../catalogue/exchange-rate/keep-rate-fresh.ts';
import { compareDaily } from '../catalogue/published-lists/daily-comparison.ts';
import { readRetiringModels } from '../catalogue/retirements.ts';
import { attachDocument } from '../documents/files/attach-document.ts';
import type { PdfServices } from '../documents/files/read-pdf.ts';
import type { MailContent } from '../mail/mail.ts';
import { MailSender } from '../mail/queue/mail-sender.ts';
import { purgeMails } from '../mail/queue/purge-mails.ts';
import { mailPriceList } from '../notifications/mail-price-list.ts';
import { mailRetirements } from '../notifications/mail-retirements.ts';
import { writeDueAlerts } from '../notifications/write-due-alerts.ts';
import type { AdminServices } from '../services.ts';
import { type Repetition, repeat } from './repeat.ts';

const sendPauseMs = 1_000;
const owedPauseMs = 15_000;
const ratePauseMs = 60_000;
/** It is compared daily; this is how soon a replica sees that it is time. */
const priceListPauseMs = 60_000;
/** A retirement is a matter of days; what was mailed is not mailed again. */
const retirementsPauseMs = 3_600_000;
const purgePauseMs = 3_600_000;

export function startNotifying(services: AdminServices, stopping: AbortSignal): Repetition[] {
  const { catalogueReaders, config, database, backgroundDatabase, mailer, pdfWorkers, seller, log } = services;
  const { db, sql } = database;
  const now = () => new Date();
  const draw: PdfServices['draw'] = (data, look) => pdfWorkers.draw(data, look);
  const attachmentsOf = (content: MailContent) => attachDocument({ db, seller, draw }, content);
  const sender = new MailSender({ sql, mailer, log, now, stopping, config, attachmentsOf });
  const rateKeeper = new RateKeeper({ sql, config, log, now });
  return [
    repeat({ name: 'send mails', pauseMs: sendPauseMs, log, step: () => sender.sendDue() }),
    repeat({
      name: 'write owed alerts',
      pauseMs: owedPauseMs,
      log,
      step: async () => writeDueAlerts(sql, { rate: await readRate(sql, config), at: now() }),
    }),
    repeat({ name: 'fetch the exchange rate', pauseMs: ratePauseMs, log, step: () => rateKeeper.keepFresh() }),
    repeat({
      name: 'mail retirements',
      pauseMs: retirementsPauseMs,
      log,
      step: async () => mailRetirements(backgroundDatabase.sql, await readRetiringModels(db), now()),
    }),
    repeat({
      name: 'compare price list',
      pauseMs: priceListPauseMs,
      log,
      step: () => compareDaily({ database, config, catalogueReaders, log, now, stopping, announce: mailPriceList }),
    }),
    repeat({ name: 'purge mails', pauseMs: purgePauseMs, log, step: () => purgeMails(sql, now()) }),
  ];
}
