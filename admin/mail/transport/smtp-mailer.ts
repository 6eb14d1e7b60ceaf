/**
 * Sends through a mail server, one connection per mail. Every step has its own timeout, and all of them together have
 * the caller's signal; when it fires, the connection is closed, so that no mail is accepted after a retry has begun.
 */
import { createTransport, type NodemailerError } from 'nodemailer';
import type { MailAddress } from '../../config/mail.ts';
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

/** Never sends a password to an attacker who removes STARTTLS from the server's greeting. */
function mustEncrypt(smtpUrl: string): boolean {
  const { protocol, username, hostname } = new URL(smtpUrl);
  return protocol === 'smtp:' && username !== '' && !/^(localhost|127\..*|\[::1\])$/.test(hostname);
}

/**
 * Only errors about the recipient are final. A refused log-in, sender or content is a mistake of ours or of
 * the server, which can be fixed within the days that a mail has.
 */
function isRefusedRecipient(error: unknown): error is NodemailerError {
  if (!(error instanceof Error) || !('responseCode' in error) || !('command' in error)) return false;
  const code = Number(error.responseCode);
  return error.command === 'RCPT TO' && [550, 551, 553].includes(code);
}

/** The server will never accept this mail for this recipient, so there is no retry (RFC 5321 §4.2.1). */
export class MailRefused extends Error {
  override readonly name = 'MailRefused';
}
