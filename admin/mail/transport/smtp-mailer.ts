/**
 * Sends through a mail server, one connection per mail. Each step has its own limit, and the caller's signal limits all
 * of them together; when it fires the connection is closed, so that no mail is accepted while a retry is already
 * running.
 */
import { createTransport, type NodemailerError } from 'nodemailer';
import type { MailAddress } from '../../../shared/config/mail.ts';
import type { Mailer, OutgoingMail } from './mailer.ts';
import { messageOf } from './message.ts';

const limits = {
  dnsTimeout: 5_000,
  connectionTimeout: 10_000,
  greetingTimeout: 10_000,
  socketTimeout: 110_000,
  socketCloseTimeout: 1_000,
  maxResponseSize: 64 * 1024,
};

export class SmtpMailer implements Mailer {
  readonly #transport;
  readonly #from: MailAddress;

  constructor(smtpUrl: string, from: MailAddress) {
    this.#transport = createTransport({ ...limits, url: smtpUrl, requireTLS: mustEncrypt(smtpUrl) });
    this.#from = from;
  }

  async send(mail: OutgoingMail, signal: AbortSignal): Promise<string> {
    try {
      const { response } = await this.#transport.sendMail({ ...messageOf(mail, this.#from), signal });
      return response;
    } catch (error) {
      throw isRefusedRecipient(error) ? new MailRefused(error.message, { cause: error }) : error;
    }
  }
}

/** Otherwise an attacker could strip STARTTLS from the server's greeting and get the password. */
function mustEncrypt(smtpUrl: string): boolean {
  const { protocol, username, hostname } = new URL(smtpUrl);
  return protocol === 'smtp:' && username !== '' && !/^(localhost|127\..*|\[::1\])$/.test(hostname);
}

/**
 * Only a refusal of the recipient is final. A refused log-in, sender or content is a mistake of ours or of the server,
 * which somebody may fix within the days that a mail is retried.
 */
function isRefusedRecipient(error: unknown): error is NodemailerError {
  if (!(error instanceof Error) || !('responseCode' in error) || !('command' in error)) return false;
  const code = Number(error.responseCode);
  return error.command === 'RCPT TO' && [550, 551, 553].includes(code);
}

/** The server will never accept this mail for this recipient, so retrying is pointless (RFC 5321 §4.2.1). */
export class MailRefused extends Error {
  override readonly name = 'MailRefused';
}
