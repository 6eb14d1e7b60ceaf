/**
 * Which addresses are one mailbox, for counting mails: `anna+shop@example.com` reaches Anna like `anna@example.com` does.
 *
 * Some providers also ignore dots, hyphens or underscores. They are ignored for every provider here, because a list of
 * providers would never be complete: where `a.b` and `ab` are two people, they share a limit, and nothing else.
 */

/** Domains of one provider, by which each of its mailboxes can be addressed. */
const sameProvider: Readonly<Record<string, string>> = {
  'googlemail.com': 'gmail.com',
  'ya.ru': 'yandex.ru',
  'yandex.by': 'yandex.ru',
  'yandex.com': 'yandex.ru',
  'yandex.kz': 'yandex.ru',
  'yandex.ua': 'yandex.ru',
  'yandex.uz': 'yandex.ru',
  'pm.me': 'proton.me',
  'protonmail.ch': 'proton.me',
  'protonmail.com': 'proton.me',
};

/** The same text for all addresses of a mailbox. It is no address that a mail could be sent to. */
export function mailboxOf(email: string): string {
  const address = email.trim().toLowerCase();
  const at = address.lastIndexOf('@');
  const domain = address.slice(at + 1);
  const [beforeTag = ''] = address.slice(0, at).split('+');
  return `${beforeTag.replace(/[._-]/g, '')}@${sameProvider[domain] ?? domain}`;
}
