/** Who sends admin's mails, and through which server. */
import type { EnvironmentReader } from './environment.ts';

export interface MailConfig {
  /** May hold a password. Undefined where mails are written to files. */
  readonly smtpUrl: string | undefined;
  readonly from: MailAddress;
}

export interface MailAddress {
  /** Empty where there is none. */
  readonly name: string;
  readonly address: string;
}

const expectedAddress = 'an e-mail address, or a name and an address: Model Gateway <gateway@example.com>';

/** Without MAIL_FROM mails that go to files come from a made-up address; a mail server wants a real one. */
export function readMailConfig(environment: EnvironmentReader, publicUrl: string): MailConfig {
  const smtpUrl = environment.optionalSecret('SMTP_URL');
  if (smtpUrl !== undefined) {
    environment.check(isSmtpUrl(smtpUrl), 'SMTP_URL must be a URL that begins with smtp:// or smtps://');
    environment.requiredText('MAIL_FROM', 'the sender of mails, which the server at SMTP_URL lets pass');
  }
  const from = environment.parsed('MAIL_FROM', {
    fallback: `Model Gateway <gateway@${senderDomain(publicUrl)}>`,
    parse: parseMailAddress,
    expected: expectedAddress,
  });
  return { smtpUrl, from };
}

/** Throws RangeError on anything but `address` or `name <address>` in one line. */
export function parseMailAddress(text: string): MailAddress {
  const named = /^(?:"([^"\\]*)"|([^"<>]*))\s*<([^<>]*)>$/.exec(text);
  const name = (named?.[1] ?? named?.[2] ?? '').trim();
  const address = (named?.[3] ?? text).trim();
  const printable = [...name].every((character) => character >= ' ' && character !== '\u007f');
  if (!printable || !/^[^\s@<>,;:"()[\]\\]{1,64}@[a-z0-9.-]{1,190}$/i.test(address))
    throw new RangeError(expectedAddress);
  return { name, address };
}

function isSmtpUrl(text: string): boolean {
  return URL.canParse(text) && /^smtps?:$/.test(new URL(text).protocol) && new URL(text).hostname !== '';
}

function senderDomain(publicUrl: string): string {
  const host = URL.canParse(publicUrl) ? new URL(publicUrl).hostname : '';
  // An IPv6 address is no domain.
  return /^[a-z0-9.-]+$/i.test(host) ? host : 'localhost';
}
