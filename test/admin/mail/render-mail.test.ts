/** What mails say: the same in text and HTML, in both languages, exactly, and nothing that a recipient could inject. */
import { describe, expect, test } from 'bun:test';
import type { MailContent } from '../../../admin/mail/mail.ts';
import { renderMail } from '../../../admin/mail/render-mail.ts';
import { mailKinds, mailLanguages } from '../../../shared/tables/mails.ts';

const config = {
  publicUrl: 'https://gateway.example.com',
  from: { name: 'Model Gateway', address: 'gateway@example.com' },
};
const link = { url: 'https://gateway.example.com/verify?token=a1&next=%2F', expiresAt: '2026-11-22T15:00:00Z' };
const lowBalance = {
  balanceNano: '4329999999',
  thresholdKopecks: '50050',
  rubPerUsd: '812345',
  rateDate: '2026-11-21',
  rateSource: 'cbr',
} as const;

const contents: Record<(typeof mailKinds)[number], MailContent> = {
  low_balance: { kind: 'low_balance', data: lowBalance },
  verify_email: { kind: 'verify_email', data: link },
  reset_password: { kind: 'reset_password', data: link },
  email_change: {
    kind: 'email_change',
    data: { newEmail: 'ada@new.example.com', requestedAt: '2026-11-21T15:04:05Z' },
  },
  password_changed: { kind: 'password_changed', data: { changedAt: '2026-11-21T15:04:05Z' } },
  address_verified: {
    kind: 'address_verified',
    data: { verifiedAt: '2026-11-21T15:04:05Z', keysDeactivated: 2 },
  },
  test: { kind: 'test', data: { requestedAt: '2026-11-21T15:04:05Z' } },
};

const render = (content: MailContent, language: 'ru' | 'en' = 'en', to = 'ada@example.com') => {
  const mail = renderMail(content, { to, language, config });
  // Intl writes no-break spaces; what matters here are the words.
  return {
    ...mail,
    text: mail.text.replace(/[\u00a0\u202f]/g, ' '),
    subject: mail.subject.replace(/[\u00a0\u202f]/g, ' '),
  };
};

/** HTML as a reader sees it. */
const wordsOf = (html: string) =>
  html
    .replace(/<style>.*?<\/style>|<title>.*?<\/title>|<div style="display:none.*?<\/div>/gs, '')
    .replace(/<[^>]+>/g, ' ')
    .replaceAll('&amp;', '&')
    .replaceAll('&quot;', '"')
    .replace(/[\s\u00a0\u202f]+/g, ' ');

describe.each(mailKinds.flatMap((kind) => mailLanguages.map((language) => [kind, language] as const)))(
  '%s in %s',
  (kind, language) => {
    const mail = render(contents[kind], language);

    test('says who sends it to whom and why, and where that is set', () => {
      for (const text of [mail.text, mail.html]) {
        expect(text).toContain('gateway@example.com');
        expect(text).toContain('ada@example.com');
        expect(text).toContain('https://gateway.example.com/settings');
      }
    });

    test('is written in its language', () => {
      expect(/[а-яё]{4}/i.test(mail.subject)).toBe(language === 'ru');
      expect(/[а-яё]{4}/i.test(mail.text)).toBe(language === 'ru');
      expect(mail.html).toContain(`<html lang="${language}">`);
    });

    test('says in HTML what it says in text, without tables, images or anything from elsewhere', () => {
      const words = wordsOf(mail.html).toLowerCase();
      const [body = ''] = mail.text.split('\n-- \n');
      for (const line of body.split('\n').filter((text) => text !== '' && !text.startsWith('http'))) {
        for (const part of line.toLowerCase().replace(/:$/, '').split(': ')) expect(words).toContain(part);
      }
      expect(mail.html).not.toMatch(/<(table|img|script|link|iframe)|url\(|@import/);
    });

    test('has lines of at most 72 characters in text, links apart', () => {
      const long = mail.text.split('\n').filter((line) => line.length > 78 && !line.includes('http'));
      expect(long).toEqual([]);
    });
  },
);

test('amounts are exact, in both currencies, with the rate, its date and its source; never rounded up', () => {
  const { subject, text } = render(contents.low_balance);
  expect(subject).toBe('Your balance is running low: $4.32');
  expect(text).toContain('Balance: $4.32 ≈ RUB 351.74');
  expect(text).toContain('Alert threshold: RUB 500.50');
  expect(text).toContain('1 USD = 81.2345 RUB (Bank of Russia, November 21, 2026)');
  const russian = render(contents.low_balance, 'ru').text;
  expect(russian).toContain('Баланс: 4,32 $ ≈ 351,74 ₽');
  expect(russian).toContain('1 USD = 81,2345 RUB (Банк России, 21 ноября 2026 г.)');
});

test('an amount beyond what a float can hold stays exact', () => {
  const data = { ...lowBalance, balanceNano: '8999999999999999', rubPerUsd: '10000' };
  expect(render({ kind: 'low_balance', data }).text).toContain('$8,999,999.99 ≈ RUB 8,999,999.99');
});

test('a configured rate is called so, and an empty balance is not called low', () => {
  const data = { ...lowBalance, balanceNano: '0', rateDate: null, rateSource: 'configured' } as const;
  const { subject, text } = render({ kind: 'low_balance', data });
  expect(subject).toBe('Your balance is used up');
  expect(text).toContain('(fixed by this gateway)');
});

test('links are whole in text and escaped in HTML', () => {
  const { text, html } = render(contents.verify_email);
  expect(text).toContain(`\n${link.url}\n`);
  expect(html).toContain('href="https://gateway.example.com/verify?token=a1&amp;next=%2F"');
});

test('an address is text, whatever it looks like', () => {
  const { html } = render(contents.test, 'en', '"<b>&x"@example.com');
  expect(html).not.toContain('<b>');
  expect(html).toContain('&lt;b&gt;&amp;x');
});
