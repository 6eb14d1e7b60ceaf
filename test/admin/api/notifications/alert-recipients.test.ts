/** Alert recipients are an account's confirmed addresses until they unsubscribe, and none that another person added. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { applyCharges } from '../../../../admin/ledger/charges/apply-charges.ts';
import { MailSender } from '../../../../admin/mail/queue/mail-sender.ts';
import { SmtpMailer } from '../../../../admin/mail/transport/smtp-mailer.ts';
import { parseUsd } from '../../../../shared/money.ts';
import { testPassword } from '../../../harness/customers.ts';
import { type MailServer, type ReceivedMail, startMailServer } from '../../../harness/mail-server.ts';
import { type Harness, startHarness } from '../../../harness.ts';
import { chargeOf } from '../../ledger/ledger.ts';
import { rateOf } from '../../notifications/subject.ts';
import { mailsTo, newestToken } from '../mailbox.ts';
import type { Profile } from '../response-types.ts';
import { type Api, logIn, randomEmail, register, startApi } from '../start-api.ts';
import { AddressBook, addressesPath } from './address-book.ts';

let harness: Harness;
let api: Api;
let book: AddressBook;
let server: MailServer;
beforeAll(async () => {
  harness = await startHarness();
  api = await startApi(harness, { environment: { PUBLIC_URL: 'https://gateway.example.com' } });
  server = await startMailServer();
  book = new AddressBook(harness, api);
});
afterAll(async () => {
  await server.stop();
  await api.stop();
  await harness.stop();
});

/** 500 RUB is 5 USD at this rate: charging 6 of 10 USD puts the balance below the threshold. */
const spend = (accountId: number, usd = '6') =>
  applyCharges(harness.database.sql, [chargeOf(accountId, { costNano: parseUsd(usd) })], {
    rate: rateOf('100'),
    at: new Date(),
  });
const alertsTo = async (email: string) =>
  (await mailsTo(harness, email)).filter(({ kind }) => kind === 'low_balance').length;

/** Sends everything that is queued to the real mail server, and returns what one recipient got. */
async function mailFor(recipient: string): Promise<ReceivedMail | undefined> {
  const { database, config, log } = api.services;
  const mailer = new SmtpMailer(server.url, config.mail.from);
  const stopping = new AbortController().signal;
  await new MailSender({
    sql: database.sql,
    attachmentsOf: async () => [],
    mailer,
    config,
    log,
    now: () => new Date(),
    stopping,
  }).sendDue();
  return server.received.findLast(({ to }) => to.includes(recipient));
}

describe('alerts', () => {
  test('go to the account’s address and to each confirmed one, and to no other', async () => {
    const customer = await book.newCustomer('10');
    const [proven, second] = [await book.addProven(customer), await book.addProven(customer)];
    const pending = randomEmail();
    await book.add(customer, pending);
    await spend(customer.accountId);
    const counts = await Promise.all([customer.email, proven, second, pending].map(alertsTo));
    expect(counts).toEqual([1, 1, 1, 0]);
  });

  test('go once to an additional address that becomes the account’s own', async () => {
    const customer = await book.newCustomer('10');
    const email = await book.addProven(customer);
    await harness.database.sql`UPDATE users SET email = ${email.toUpperCase()} WHERE id = ${customer.userId}`;
    await spend(customer.accountId);
    expect([await alertsTo(email), await alertsTo(email.toUpperCase())]).toEqual([0, 1]);
  });

  test('stop after a mail program’s one-click unsubscribe, for this address and account only', async () => {
    const [customer, neighbour] = [await book.newCustomer('10'), await book.newCustomer('10')];
    const email = await book.addProven(customer);
    const other = await book.addProven(customer);
    await book.add(neighbour, email);
    await book.confirm(await book.linkTo(email));
    await spend(customer.accountId);

    const mail = await mailFor(email);
    const [, url = ''] = /^<(.+)>$/.exec(mail?.header('List-Unsubscribe') ?? '') ?? [];
    expect(url).toStartWith('https://gateway.example.com/api/alert-addresses/unsubscribe?token=');
    expect(mail?.header('List-Unsubscribe-Post')).toBe('List-Unsubscribe=One-Click');
    for (const part of ['text/plain', 'text/html']) {
      expect(mail?.part(part)).toContain(url);
      expect(mail?.part(part)).toContain(customer.email);
    }
    // As in RFC 8058: the form in the body, no cookies, no log-in.
    const oneClick = () =>
      fetch(url.replace('https://gateway.example.com', api.url), {
        method: 'POST',
        body: new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }),
      });
    expect(await (await oneClick()).json()).toEqual({ email, status: 'stopped' });
    expect((await oneClick()).status).toBe(200);
    expect(await book.list(customer)).toMatchObject([{ email, status: 'stopped' }, { status: 'active' }]);
    expect(await book.list(neighbour)).toMatchObject([{ email, status: 'active' }]);

    const before = await Promise.all([email, other].map(alertsTo));
    await harness.credit(customer.accountId, '10');
    await harness.database.sql`UPDATE balance_alerts SET alerted_at = NULL WHERE account_id = ${customer.accountId}`;
    await spend(customer.accountId, '10');
    expect(await Promise.all([email, other].map(alertsTo))).toEqual([before[0] ?? -1, (before[1] ?? -1) + 1]);
  });

  test('resume after an unsubscribe only with another link', async () => {
    const customer = await book.newCustomer('10');
    const email = await book.addProven(customer);
    const [row] = await harness.database.sql`SELECT stop_token FROM alert_addresses WHERE email = ${email}`;
    await book.unsubscribe(row?.stop_token);
    expect((await book.add(customer, email)).body).toMatchObject({ status: 'stopped' });
    await spend(customer.accountId);
    expect(await alertsTo(email)).toBe(0);
    expect((await book.confirm(await book.linkTo(email))).body).toEqual({ email, status: 'active' });
  });

  test('link to the settings and have no unsubscribe link if they go to the account’s own address', async () => {
    const customer = await book.newCustomer('10');
    await spend(customer.accountId);
    const mail = await mailFor(customer.email);
    expect(mail?.header('List-Unsubscribe')).toBeUndefined();
    expect(mail?.part('text/plain')).toContain('https://gateway.example.com/alerts');
  });

  test.each(['x', crypto.randomUUID(), "' OR 1=1"])(
    'cannot be unsubscribed with the token %s, which returns 400',
    async (token) => {
      const { status, error } = await book.unsubscribe(token);
      expect({ status, code: error?.code }).toEqual({ status: 400, code: 'invalid_link' });
    },
  );
});

describe('other people', () => {
  test('neither see nor remove another account’s addresses', async () => {
    const [mine, theirs] = [await book.newCustomer(), await book.newCustomer()];
    const email = await book.addProven(theirs);
    const [{ id } = { id: 0 }] = await book.list(theirs);
    expect(await book.list(mine)).toEqual([]);
    const { status, error } = await api.call('DELETE', `${addressesPath}/${id}`, { token: mine.token });
    expect({ status, code: error?.code }).toEqual({ status: 404, code: 'not_found' });
    expect(await book.list(theirs)).toMatchObject([{ email, status: 'active' }]);
  });

  test('lose the recipients they added when the address’s owner takes the account over', async () => {
    const { email, token } = await register(api);
    // The link was followed without a log-in: the password may be another person's.
    await harness.database.sql`
      UPDATE accounts SET ownership = 'uncertain' WHERE id = (SELECT account_id FROM users WHERE email = ${email})`;
    const eavesdropper = randomEmail();
    expect((await book.add({ token }, eavesdropper)).status).toBe(201);
    await book.confirm(await book.linkTo(eavesdropper));
    await api.call('POST', '/api/auth/forgot-password', { body: { email } });
    const link = await newestToken(harness, email, 'reset_password');
    const body = { token: link, new_password: testPassword };
    expect((await api.call('POST', '/api/auth/reset-password', { body })).status).toBe(204);
    const owner = { token: await logIn(api, email, testPassword) };
    expect(await book.list(owner)).toEqual([]);
    expect((await api.call<Profile>('GET', '/api/profile', owner)).body.email).toBe(email);
  });
});
