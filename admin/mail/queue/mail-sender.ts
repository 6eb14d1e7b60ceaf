/**
 * Sends queued mails. A mail is claimed, handed over, and marked as sent, by one replica at a time (claim-mails.ts).
 *
 * Handing over and marking cannot be one atomic step. A mail is sent twice only if the process dies, or the
 * mail server's reply is lost, between its acceptance and the mark. Every attempt has the same Message-ID,
 * by which receivers and people can recognize the repetition. If Postgres is away at that moment, nothing is repeated:
 * the acceptance is remembered here and recorded as soon as Postgres is back.
 */
import type { Sql } from 'postgres';
import { Counter } from 'prom-client';
import { backoffMs } from '../../../shared/durations.ts';
import type { Log } from '../../../shared/log.ts';
import type { AdminConfig } from '../../config/admin.ts';
import type { MailContent } from '../mail.ts';
import type { RenderConfig } from '../rendering/mail-message.ts';
import { renderMail } from '../rendering/render-mail.ts';
import type { Attachment, Mailer } from '../transport/mailer.ts';
import { MailRefused } from '../transport/smtp-mailer.ts';
import { type ClaimedMail, claimMails } from './claim-mails.ts';
import { purgeDeletionMails } from './purge-mails.ts';

/** After a failed attempt. */
const retryDelays = { firstMs: 60_000, mostMs: 4 * 3_600_000 };

export interface SenderServices {
  readonly sql: Sql;
  readonly mailer: Mailer;
  readonly config: RenderConfig & Pick<AdminConfig, 'shutdown'>;
  readonly log: Log;
  readonly now: () => Date;
  /** What is attached to a mail: read when it is sent, so the queue keeps only an id. */
  attachmentsOf(content: MailContent): Promise<readonly Attachment[]>;
  /** The program is shutting down: attempts in flight get the grace period, and are then aborted. */
  readonly stopping: AbortSignal;
}

const atOnce = 10;
/**
 * For one attempt, from the DNS lookup to the server's acceptance. Servers may scan a mail for a long time before they
 * accept it, and hanging up on them causes a duplicate (RFC 5321 §4.5.3.2.6).
 */
const attemptTimeoutMs = 120_000;
const errorMaxLength = 1_000;

const attemptsCounter = new Counter({
  name: 'gateway_mail_attempts_total',
  help: 'Attempts to send a mail, by outcome',
  labelNames: ['outcome'],
});
// A counter that begins at 1 has not increased, so the first mail that is given up would raise no alert.
for (const outcome of ['sent', 'put_off', 'given_up']) attemptsCounter.inc({ outcome }, 0);

export class MailSender {
  readonly #services: SenderServices;
  /** Accepted by the server, but not yet marked as sent. */
  readonly #accepted = new Map<ClaimedMail, string>();
  readonly #cut = new AbortController();

  constructor(services: SenderServices) {
    this.#services = services;
    const { stopping, config } = services;
    const cut = () => this.#cut.abort(new Error('the program is shutting down'));
    const cutAfterGrace = () => setTimeout(cut, config.shutdown.graceMs).unref();
    stopping.addEventListener('abort', cutAfterGrace, { once: true });
  }

  /** One step: attempts every mail that is due once. Returns how many were sent. */
  async sendDue(): Promise<number> {
    await this.#markAccepted();
    const { sql, now, log, stopping } = this.#services;
    let sent = 0;
    let more = true;
    while (more && !stopping.aborted) {
      const { mails, expired } = await claimMails(sql, { now: now(), max: atOnce });
      for (const { id, content, attempt } of expired) {
        attemptsCounter.inc({ outcome: 'given_up' });
        log.error({ mail: id, kind: content.kind, attempt, state: 'failed' }, 'mail expired');
      }
      more = mails.length === atOnce;
      const outcomes = await Promise.allSettled(mails.map((mail) => this.#attempt(mail)));
      await this.#markAccepted();
      if (mails.some(({ content }) => content.kind === 'account_deleted')) await purgeDeletionMails(sql);
      for (const outcome of outcomes) {
        if (outcome.status === 'rejected') throw outcome.reason;
        if (outcome.value) sent += 1;
      }
    }
    return sent;
  }

  async #attempt(mail: ClaimedMail): Promise<boolean> {
    const { mailer, config, attachmentsOf } = this.#services;
    try {
      const { key, createdAt, to, language } = mail;
      const rendered = renderMail(mail.content, { to, language, config });
      const attachments = await attachmentsOf(mail.content);
      const signal = AbortSignal.any([this.#cut.signal, AbortSignal.timeout(attemptTimeoutMs)]);
      const response = await mailer.send({ key, createdAt, to, ...rendered, attachments }, signal);
      this.#accepted.set(mail, response);
      return true;
    } catch (error) {
      await this.#putOff(mail, error);
      return false;
    }
  }

  async #markAccepted(): Promise<void> {
    const { sql, now, log } = this.#services;
    for (const [mail, response] of this.#accepted) {
      const { count } = await sql`
        UPDATE mails SET state = 'sent', sent_at = ${now()}, response = ${response}, last_error = NULL, data = NULL
        WHERE id = ${mail.id} AND attempts = ${mail.attempt}`;
      this.#accepted.delete(mail);
      attemptsCounter.inc({ outcome: 'sent' });
      if (count === 0) log.warn({ mail: mail.id }, 'a mail took longer than its lease and may be sent again');
      else log.info({ mail: mail.id, kind: mail.content.kind, attempt: mail.attempt }, 'mail sent');
    }
  }

  async #putOff(mail: ClaimedMail, error: unknown): Promise<void> {
    const { sql, now, log } = this.#services;
    const nextAt = new Date(now().getTime() + backoffMs(retryDelays, mail.attempt, Math.random()));
    const isLast = error instanceof MailRefused || nextAt >= mail.giveUpAt;
    const state = isLast ? 'failed' : 'queued';
    const reason = String(error).slice(0, errorMaxLength);
    attemptsCounter.inc({ outcome: isLast ? 'given_up' : 'put_off' });
    log[isLast ? 'error' : 'warn'](
      { mail: mail.id, kind: mail.content.kind, attempt: mail.attempt, reason, state },
      'mail not sent',
    );
    await sql`
      UPDATE mails SET state = ${state}, next_attempt_at = ${nextAt}, last_error = ${reason}
      WHERE id = ${mail.id} AND attempts = ${mail.attempt}`;
  }
}
