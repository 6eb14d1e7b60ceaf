/** The sender of admin's mails, the mail server, and the operator's branding of mails. */
import type { EnvironmentReader } from '../../shared/config/environment.ts';

export interface MailConfig {
  /** The one in use now; may contain a password. Undefined if mails are written to files. */
  readonly smtpUrl: string | undefined;
  readonly from: MailAddress;
  readonly brand: MailBrand;
}

export interface MailBrand {
  readonly name: string;
  /** Undefined if the name is shown instead. */
  readonly logoUrl: string | undefined;
  /** The support address; replies to mails go there too. */
  readonly supportAddress: string | undefined;
  /** Legally required information about the sender: a company's name, number and address. */
  readonly legalLine: string | undefined;
}

export interface MailAddress {
  /** Empty if there is none. */
  readonly name: string;
  readonly address: string;
}

const brandNameMaxLength = 100;
const legalLineMaxLength = 500;
const defaultName = 'Model Gateway';
const expectedAddress = 'an e-mail address, or a name and an address: Model Gateway <gateway@example.com>';

/** Without MAIL_FROM mails written to files get a made-up sender; a mail server requires a real one. */
export function readMailConfig(environment: EnvironmentReader, publicUrl: string): MailConfig {
  const smtpUrls = environment.optionalSecrets('SMTP_URL', (urls) =>
    urls.every(isSmtpUrl) ? undefined : 'SMTP_URL must be a URL that begins with smtp:// or smtps://',
  );
  if (smtpUrls !== undefined) {
    environment.requiredText('MAIL_FROM', 'the sender of mails, which the server at SMTP_URL must accept');
  }
  const brandName = readLine(environment, 'MAIL_BRAND_NAME', brandNameMaxLength);
  const { name, address } = environment.parsed('MAIL_FROM', {
    fallback: `${brandName === undefined ? `${defaultName} ` : ''}<gateway@${senderDomain(publicUrl)}>`,
    parse: parseMailAddress,
    expected: expectedAddress,
  });
  return {
    get smtpUrl() {
      return smtpUrls?.()[0];
    },
    from: { name: name === '' ? (brandName ?? '') : name, address },
    brand: readBrand(environment, brandName ?? (name === '' ? defaultName : name)),
  };
}

function readBrand(environment: EnvironmentReader, name: string): MailBrand {
  const isLogo = environment.optionalText('MAIL_LOGO_URL') !== undefined;
  const logo = { schemes: ['http:', 'https:'], meaning: 'the logo in mails' };
  const support = environment.optionalText('MAIL_SUPPORT_ADDRESS');
  const isAddress = support === undefined || isMailAddress(support);
  environment.check(isAddress, 'MAIL_SUPPORT_ADDRESS must be an e-mail address without a name');
  return {
    name,
    logoUrl: isLogo ? environment.url('MAIL_LOGO_URL', logo) : undefined,
    supportAddress: support,
    legalLine: readLine(environment, 'MAIL_LEGAL_LINE', legalLineMaxLength),
  };
}

function readLine(environment: EnvironmentReader, name: string, maxLength: number): string | undefined {
  const text = environment.optionalText(name);
  const isLine = text === undefined || (isPrintable(text) && text.length <= maxLength);
  environment.check(isLine, `${name} must be one line of at most ${maxLength} characters`);
  return text;
}

/** Throws RangeError on anything but `address` or `name <address>` in one line. */
export function parseMailAddress(text: string): MailAddress {
  const named = /^(?:"([^"\\]*)"\s*|([^"<>]*))<([^<>]*)>$/.exec(text);
  const name = (named?.[1] ?? named?.[2] ?? '').trim();
  const address = (named?.[3] ?? text).trim();
  if (!isPrintable(name) || !isMailAddress(address)) throw new RangeError(expectedAddress);
  return { name, address };
}

function isPrintable(text: string): boolean {
  return [...text].every((character) => character >= ' ' && character !== '\u007f');
}

function isMailAddress(text: string): boolean {
  return /^[^\s@<>,;:"()[\]\\]{1,64}@[a-z0-9.-]{1,190}$/i.test(text);
}

function isSmtpUrl(text: string): boolean {
  return URL.canParse(text) && /^smtps?:$/.test(new URL(text).protocol) && new URL(text).hostname !== '';
}

function senderDomain(publicUrl: string): string {
  const host = URL.canParse(publicUrl) ? new URL(publicUrl).hostname : '';
  // An IPv6 address is not a domain.
  return /^[a-z0-9.-]+$/i.test(host) ? host : 'localhost';
}
