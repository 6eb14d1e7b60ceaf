/** What mails say: the same in text and HTML, in both languages, exactly, and nothing that a recipient could inject. */
import { describe, expect, test } from 'bun:test';
import type { MailBrand } from '../../../../admin/config/mail.ts';
import { mailKinds } from '../../../../admin/database/tables/mails.ts';
import type { MailContent } from '../../../../admin/mail/mail.ts';
import { renderMail } from '../../../../admin/mail/rendering/render-mail.ts';
import { languages } from '../../../../shared/languages.ts';
import { SeededRandom } from '../../../harness/seeded-random.ts';

const config = {
  publicUrl: 'https://gateway.example.com',
  mail: {
    from: { name: 'Model Gateway', address: 'gateway@example.com' },
    brand: { name: 'Model Gateway', logoUrl: undefined, supportAddress: undefined, legalLine: undefined },
  },
};
const link = { url: 'https://gateway.example.com/verify?token=a1&next=%2F', expiresAt: '2026-11-22T15:00:00Z' };
const lowBalance = {
  event: 'fallen',
  balanceNano: '4329999999',
  thresholdKopecks: '50050',
  rubPerUsd: '812345',
  rateDate: '2026-11-21',
  rateSource: 'cbr',
} as const;

const acme: MailBrand = {
  name: 'Acme & Sons',
  logoUrl: 'https://acme.example.com/logo.png?a=1&b=2',
  supportAddress: 'help@acme.example.com',
  legalLine: 'Acme LLC, 1 Main Street',
};

const contents: Record<(typeof mailKinds)[number], MailContent> = {
  low_balance: { kind: 'low_balance', data: lowBalance },
  budget_alert: {
    kind: 'budget_alert',
    data: {
      ...{ level: 'project', name: 'Support bot', period: 'month', percent: 80 },
      ...{ amountNano: '50000000000', spentNano: '40250000000', resetsAt: '2026-12-01T00:00:00.000Z' },
    },
  },
  verify_email: { kind: 'verify_email', data: link },
  verify_alert_address: { kind: 'verify_alert_address', data: { ...link, accountEmail: 'grace@example.com' } },
  reset_password: { kind: 'reset_password', data: link },
  email_change: {
    kind: 'email_change',
    data: { newEmail: 'ada@new.example.com', requestedAt: '2026-11-21T15:04:05Z' },
  },
  password_changed: { kind: 'password_changed', data: { changedAt: '2026-11-21T15:04:05Z', keysDeactivated: 0 } },
  sign_in_changed: {
    kind: 'sign_in_changed',
    data: { change: 'code_used', changedAt: '2026-11-21T15:04:05Z', recoveryCodesLeft: 9 },
  },
  address_verified: {
    kind: 'address_verified',
    data: { verifiedAt: '2026-11-21T15:04:05Z', keysDeactivated: 2 },
  },
  address_in_use: { kind: 'address_in_use', data: { attempt: 'sign_up', attemptedAt: '2026-11-21T15:04:05Z' } },
  invitation: {
    kind: 'invitation',
    data: {
      url: 'https://gateway.example.com/accept-invitation?token=f0Hq2vK9sXyLr7aWc3TnBz5UeMd1JgPo8QiVtYk4RhE',
      expiresAt: '2026-11-28T15:04:05Z',
      organization: 'Acme Robotics',
      invitedBy: 'ada@example.com',
      role: 'member',
    },
  },
  account_deleted: {
    kind: 'account_deleted',
    data: { deletedAt: '2026-11-21T15:04:05Z', forfeitedNano: '12345678901' },
  },
  payment_received: {
    kind: 'payment_received',
    data: { amountMinor: '100050', currency: 'RUB', creditNano: '11116666666', balanceNano: '15446666665' },
  },
  payment_failed: { kind: 'payment_failed', data: { amountMinor: '100050', currency: 'RUB' } },
  payment_refunded: {
    kind: 'payment_refunded',
    data: { amountMinor: '2500', currency: 'USD', isReversed: false, balanceNano: '0' },
  },
  payment_restored: {
    kind: 'payment_restored',
    data: { amountMinor: '2500', currency: 'USD', balanceNano: '25000000000' },
  },
  refund_failed: { kind: 'refund_failed', data: { amountMinor: '2500', currency: 'USD', balanceNano: '25000000000' } },
  auto_top_up_failed: {
    kind: 'auto_top_up_failed',
    data: { amountMinor: '100050', currency: 'RUB', nextAttemptAt: '2026-11-21T15:04:05Z' },
  },
  auto_top_up_stopped: {
    kind: 'auto_top_up_stopped',
    data: { amountMinor: '100050', currency: 'RUB', reason: 'failures' },
  },
  document_ready: {
    kind: 'document_ready',
    data: {
      documentId: '01945b2e-7c1a-7d3e-8f10-2b3c4d5e6f70',
      type: 'act',
      number: 12,
      date: '2026-10-31',
      amountMinor: '123456',
    },
  },
  webhook_rested: {
    kind: 'webhook_rested',
    data: {
      ...{ endpointUrl: 'https://example.com/webhooks', type: 'key.created', restedAt: '2026-11-21T15:04:05Z' },
      error: 'the endpoint responded with status 500',
    },
  },
  model_retiring: { kind: 'model_retiring', data: { model: 'gpt-4o-mini', retiresAt: '2030-06-30' } },
  price_list_differs: {
    kind: 'price_list_differs',
    data: {
      listUrl: 'https://openrouter.ai/api/v1/models',
      models: 2,
      examples: [
        { model: 'gpt-4o-mini', field: 'prompt', from: '0.15', to: '0.6' },
        { model: 'gpt-4o-mini', field: 'retiresAt', from: null, to: '2030-06-30' },
      ],
      ...{ largeChanges: 1, largeFactor: 3, newModels: 4 },
    },
  },
  test: { kind: 'test', data: { requestedAt: '2026-11-21T15:04:05Z' } },
};

interface RenderOptions {
  readonly language?: 'ru' | 'en';
  readonly to?: string;
  readonly brand?: MailBrand;
}

const render = (content: MailContent, options: RenderOptions = {}) => {
  const { language = 'en', to = 'ada@example.com', brand = config.mail.brand } = options;
  const mail = renderMail(content, { to, language, config: { ...config, mail: { ...config.mail, brand } } });
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

describe.each(mailKinds.flatMap((kind) => languages.map((language) => [kind, language] as const)))(
  '%s in %s',
  (kind, language) => {
    const mail = render(contents[kind], { language });

    test('names its sender and recipient, and offers settings only where it can be switched off', () => {
      for (const text of [mail.text, mail.html]) {
        expect(text).toContain('gateway@example.com');
        expect(text).toContain('ada@example.com');
        expect(text.includes('https://gateway.example.com/alerts')).toBe(
          ['low_balance', 'budget_alert', 'document_ready'].includes(kind),
        );
      }
      expect(mail.text).not.toMatch(/switched off|отключить/);
    });

    test('has the brand of the operator: name, logo, support address and legal line', () => {
      const { text, html, replyTo } = render(contents[kind], { language, brand: acme });
      for (const words of [text, html]) {
        expect(words).toMatch(/Acme (&|&amp;) Sons/);
        expect(words).not.toMatch(/model gateway|шлюз/i);
        expect(words).toContain('help@acme.example.com');
        expect(words).toContain('Acme LLC, 1 Main Street');
      }
      expect(html).toContain(
        '<img class="logo" src="https://acme.example.com/logo.png?a=1&amp;b=2" alt="Acme &amp; Sons"',
      );
      expect(html).toContain('href="mailto:help@acme.example.com"');
      expect(replyTo).toBe('help@acme.example.com');
    });

    test('is written in its language', () => {
      expect(/[а-яё]{4}/i.test(mail.subject)).toBe(language === 'ru');
      expect(/[а-яё]{4}/i.test(mail.text)).toBe(language === 'ru');
      expect(mail.html).toContain(`<html lang="${language}">`);
    });

    test('says in HTML what it says in text, without tables, and without images if there is no logo', () => {
      const words = wordsOf(mail.html).toLowerCase();
      const [body = ''] = mail.text.split('\n-- \n');
      for (const line of body.split('\n').filter((text) => text !== '' && !text.startsWith('http'))) {
        for (const part of line.toLowerCase().replace(/:$/, '').split(': ')) expect(words).toContain(part);
      }
      expect(mail.html).not.toMatch(/<(table|img|script|link|iframe)|url\(|@import/);
    });

    test('has lines of at most 72 characters in text, except for links', () => {
      const long = mail.text.split('\n').filter((line) => line.length > 78 && !line.includes('http'));
      expect(long).toEqual([]);
    });
  },
);

test("amounts in mails are exact in both currencies, never rounded up, with the rate's date and source", () => {
  const { subject, text } = render(contents.low_balance);
  expect(subject).toBe('Your balance is running low: $4.32');
  expect(text).toContain('Balance: $4.32 ≈ RUB 351.74');
  expect(text).toContain('Alert threshold: RUB 500.50');
  expect(text).toContain('1 USD = 81.2345 RUB (Bank of Russia, 21 November 2026)');
  const russian = render(contents.low_balance, { language: 'ru' }).text;
  expect(russian).toContain('Баланс: 4,32 $ ≈ 351,74 ₽');
  expect(russian).toContain('1 USD = 81,2345 RUB (Банк России, 21 ноября 2026 г.)');
});

test('an amount beyond what a float can hold stays exact in a mail', () => {
  const data = { ...lowBalance, balanceNano: '8999999999999999', rubPerUsd: '10000' };
  expect(render({ kind: 'low_balance', data }).text).toContain('$8,999,999.99 ≈ RUB 8,999,999.99');
});

test('a configured rate is called so, and an empty balance is not called low', () => {
  const data = { ...lowBalance, balanceNano: '0', rateDate: null, rateSource: 'configured' } as const;
  const { subject, text } = render({ kind: 'low_balance', data });
  expect(subject).toBe('Your balance is used up');
  expect(text).toContain('(fixed rate)');
});

test.each([
  ['9999999', '$0.0099 ≈ RUB 0.81', '0,0099 $ ≈ 0,81 ₽'],
  ['12345', '$0.000012 ≈ RUB 0.001', '0,000012 $ ≈ 0,001 ₽'],
  ['1', '$0.000000001 ≈ RUB 0.000000081', '0,000000001 $ ≈ 0,000000081 ₽'],
])('an amount of %s nano-dollars is not shown as zero', (balanceNano, english, russian) => {
  const low = { kind: 'low_balance', data: { ...lowBalance, balanceNano } } as const;
  const { subject, text } = render(low);
  expect(subject).toBe(`Your balance is running low: ${english.split(' ')[0]}`);
  expect(text).toContain(`Balance: ${english}`);
  expect(render(low, { language: 'ru' }).text).toContain(`Баланс: ${russian}`);
});

test('only a balance of zero is shown as zero, and is said to be used up', () => {
  const { subject, text } = render({ kind: 'low_balance', data: { ...lowBalance, event: 'empty', balanceNano: '0' } });
  expect(subject).toBe('Your balance is used up');
  expect(text).toContain('Balance: $0.00 ≈ RUB 0.00');
});

test('a fall, a reminder and zero differ in words, and each links to where the customer tops up', () => {
  const events = ['fallen', 'low', 'empty'] as const;
  const mails = events.map((event) => {
    const balanceNano = event === 'empty' ? '0' : lowBalance.balanceNano;
    return render({ kind: 'low_balance', data: { ...lowBalance, event, balanceNano } });
  });
  expect(mails.map(({ text }) => text.split('\n')[2])).toEqual([
    expect.stringContaining('has fallen below'),
    expect.stringContaining('is below'),
    expect.stringContaining('has reached zero'),
  ]);
  for (const { text, html } of mails) {
    expect(text).toContain('Top up:\nhttps://gateway.example.com/billing\n');
    expect(html).toMatch(/href="https:\/\/gateway\.example\.com\/billing"[^>]*>Top up</);
  }
});

test('links are whole in text and escaped in HTML', () => {
  const { text, html } = render(contents.verify_email);
  expect(text).toContain(`\n${link.url}\n`);
  expect(html).toContain('href="https://gateway.example.com/verify?token=a1&amp;next=%2F"');
});

test('an address in a mail is text, whatever it looks like', () => {
  const { html } = render(contents.test, { to: '"<b>&x"@example.com' });
  expect(html).not.toContain('<b>');
  expect(html).toContain('&lt;b&gt;&amp;x');
});

test('what an organization is called is no link in an invitation, whatever strangers have called it', () => {
  const random = new SeededRandom(Number(process.env.SEED ?? 20_261_130));
  const invitation = contents.invitation as Extract<MailContent, { kind: 'invitation' }>;
  for (let tried = 0; tried < 200; tried += 1) {
    const host = `${random.pick(['evil', 'win.a.prize', 'xn--80ak6aa92e', 'банк'])}.${random.pick(['example', 'com', 'рф', 'io'])}`;
    const link = random.pick([
      ...[host, `https://${host}/x`, `http:${host}`, `//${host}`, `www.${host}`, `a@${host}`, `tel:+79990001122`],
      `mailto:a@${host}?subject=${host}`,
    ]);
    const organization = `${random.pick(['', 'Win at ', 'ООО «'])}${link}${random.pick(['', '/offer', '»', '. Come'])}`;
    for (const language of languages) {
      const { text, html } = render({ ...invitation, data: { ...invitation.data, organization } }, { language });
      for (const words of [text, html]) {
        // The link of the invitation itself, the addresses of the sender and the recipient, and the page of the dashboard.
        const others = words.replaceAll(/https:\/\/gateway\.example\.com[^\s"<]*|(ada|gateway)@example\.com/g, '');
        expect(others).not.toContain(link);
        expect(others).not.toMatch(/(evil|prize|92e|банк)\.[a-zрф]|:\/\/|www\.[a-z]|mailto:a|tel:\+/);
        expect(others.replaceAll('\u2060', '')).toContain(link.replaceAll('&', '&amp;'));
      }
    }
  }
});
