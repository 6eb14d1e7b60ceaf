/** Creates the mailer: a mail server if one is configured, otherwise files. */
import type { MailConfig } from '../../../shared/config/mail.ts';
import { FileMailer } from './file-mailer.ts';
import type { Mailer } from './mailer.ts';
import { SmtpMailer } from './smtp-mailer.ts';

export function createMailer(config: { mail: MailConfig; dataDirectory: string }): Mailer {
  const { smtpUrl, from } = config.mail;
  return smtpUrl === undefined ? new FileMailer(config.dataDirectory, from) : new SmtpMailer(smtpUrl, from);
}
