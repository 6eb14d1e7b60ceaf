/** Adding alert addresses: each is mailed a link, within limits, and is confirmed once by following it. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { addressesMax } from '../../../../admin/notifications/addresses/add-address.ts';
import { type Harness, startHarness } from '../../../harness.ts';
import { linkIn, mailsTo, newestToken } from '../mailbox.ts';
import { type Api, randomAddress, randomEmail, register, startApi } from '../start-api.ts';
import { AddressBook, addressesPath } from './address-book.ts';

let harness: Harness;
let api: Api;
let book: AddressBook;
beforeAll(async () => {
  harness = await startHarness();
  api = await startApi(harness, { environment: { PUBLIC_URL: 'https://gateway.example.com' } });
  book = new AddressBook(harness, api);
});
afterAll(async () => {
  await api.stop();
  await harness.stop();
});

describe('adding an address', () => {
  test('returns 201, lists it as pending and mails a link that is valid for 48 hours', async () => {
    const customer = await book.newCustomer();
    const email = randomEmail();
    const { status, body } = await book.add(customer, ` ${email} `);
    expect(status).toBe(201);
    const shown = { id: body.id, email, status: 'pending', createdAt: expect.any(String), confirmedAt: null } as const;
    expect(body).toEqual(shown);
    expect(await book.list(customer)).toEqual([shown]);
    const [mail, ...rest] = await mailsTo(harness, email);
    expect(rest).toEqual([]);
    expect(mail).toMatchObject({ kind: 'verify_alert_address', data: { accountEmail: customer.email } });
    const { url, expiresAt } = linkIn(mail);
    expect(url).toMatch(/^https:\/\/gateway\.example\.com\/api\/alert-addresses\/confirm\?token=[\w-]{43}$/);
    expect(Math.round((Date.parse(expiresAt) - Date.now()) / 3_600_000)).toBe(48);
  });

  test('stores the link only as a hash', async () => {
    const customer = await book.newCustomer();
    const email = randomEmail();
    await book.add(customer, email);
    const token = await book.linkTo(email);
    const rows = await harness.database.sql`SELECT token_hash FROM mail_tokens WHERE email = ${email}`;
    expect(rows.map(({ token_hash }) => token_hash)).toEqual([
      new Bun.CryptoHasher('sha256').update(token).digest('hex'),
    ]);
  });

  test('returns 409 for the account’s own address and one that already gets alerts, in any case', async () => {
    const customer = await book.newCustomer();
    const email = await book.addProven(customer);
    for (const taken of [customer.email, email, email.toUpperCase()]) {
      const { status, error } = await book.add(customer, taken);
      expect({ status, code: error?.code, param: error?.param }).toEqual({
        status: 409,
        code: 'address_exists',
        param: 'email',
      });
    }
  });

  test('mails another link for a pending address, and the older link still works', async () => {
    const customer = await book.newCustomer();
    const email = randomEmail();
    const first = await book.add(customer, email);
    const older = await book.linkTo(email);
    expect((await book.add(customer, email.toUpperCase())).body).toEqual(first.body);
    expect(await book.linkTo(email)).not.toBe(older);
    expect((await book.confirm(older)).body).toEqual({ email, status: 'active' });
    expect(await book.list(customer)).toHaveLength(1);
  });

  test('returns 422 beyond ten, even if many are added concurrently', async () => {
    const customer = await book.newCustomer();
    const addresses = Array.from({ length: addressesMax + 3 }, randomEmail);
    const responses = await Promise.all(addresses.map((email) => book.add(customer, email)));
    const refused = responses.filter(({ status }) => status !== 201);
    expect(refused.map(({ status, error }) => [status, error?.code])).toEqual(
      Array.from({ length: 3 }, () => [422, 'too_many_addresses']),
    );
    expect(await book.list(customer)).toHaveLength(addressesMax);
  });

  test('returns 429 after 5 mails an hour to one address, from any account', async () => {
    const email = randomEmail();
    const [one, other] = [await book.newCustomer(), await book.newCustomer()];
    for (const customer of [one, other, one, other, one]) expect((await book.add(customer, email)).status).toBe(201);
    const { status, error } = await book.add(other, email);
    expect({ status, code: error?.code }).toEqual({ status: 429, code: 'too_many_attempts' });
    expect(await mailsTo(harness, email)).toHaveLength(5);
  });

  test('returns 429 after 5 mails an hour to one mailbox, whatever follows a + in its addresses', async () => {
    const tags = fc.uniqueArray(fc.stringMatching(/^[a-z\d]{1,8}$/), { minLength: 6, maxLength: 6 });
    const property = fc.asyncProperty(tags, async (all) => {
      const [local, domain] = randomEmail().split('@');
      const [one, other] = [await book.newCustomer(), await book.newCustomer()];
      const statuses: number[] = [];
      for (const [index, tag] of all.entries()) {
        statuses.push((await book.add(index % 2 === 0 ? one : other, `${local}+${tag}@${domain}`)).status);
      }
      expect(statuses).toEqual([201, 201, 201, 201, 201, 429]);
    });
    await fc.assert(property, { numRuns: 3 });
  });

  test('returns 429 after 30 mails an hour from one client', async () => {
    const headers = { 'x-forwarded-for': randomAddress() };
    const customers = await Promise.all(Array.from({ length: 4 }, () => book.newCustomer()));
    const statuses: number[] = [];
    for (let mail = 0; mail < 31; mail += 1) {
      const customer = customers[mail % customers.length];
      if (customer !== undefined) statuses.push((await book.add(customer, randomEmail(), headers)).status);
    }
    expect(statuses).toEqual([...Array.from({ length: 30 }, () => 201), 429]);
  });

  test('returns 403 until the account’s own address is verified, so sign-ups cannot send mail to others', async () => {
    const user = await register(api);
    const email = randomEmail();
    const { status, error } = await book.add(user, email);
    expect({ status, code: error?.code }).toEqual({ status: 403, code: 'email_not_verified' });
    expect(await mailsTo(harness, email)).toEqual([]);
  });

  test.each([
    [{}, 'email'],
    [{ email: 'ada' }, 'email'],
    [{ email: 1 }, 'email'],
    [{ email: 'a@b.co', status: 'active' }, 'status'],
  ])('returns 400 for %j', async (body, param) => {
    const { token } = await book.newCustomer();
    const response = await api.call('POST', addressesPath, { token, body });
    expect({ status: response.status, param: response.error?.param }).toEqual({ status: 400, param });
  });
});

describe('the confirmation link', () => {
  test('confirms once, and exactly one of concurrent uses succeeds', async () => {
    const customer = await book.newCustomer();
    const email = randomEmail();
    await book.add(customer, email);
    const token = await book.linkTo(email);
    const responses = await Promise.all(Array.from({ length: 5 }, () => book.confirm(token)));
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400, 400]);
    expect(await book.list(customer)).toMatchObject([{ email, status: 'active', confirmedAt: expect.any(String) }]);
  });

  test('returns 400 if it has expired, is for another purpose, is unknown, or its address was removed', async () => {
    const customer = await book.newCustomer();
    const [expired, removed] = [randomEmail(), randomEmail()];
    await book.add(customer, expired);
    await harness.database
      .sql`UPDATE mail_tokens SET expires_at = now() - interval '1 second' WHERE email = ${expired}`;
    const { body } = await book.add(customer, removed);
    const link = await book.linkTo(removed);
    expect((await api.call('DELETE', `${addressesPath}/${body.id}`, { token: customer.token })).status).toBe(204);
    await api.call('POST', '/api/auth/forgot-password', { body: { email: customer.email } });
    const reset = await newestToken(harness, customer.email, 'reset_password');
    for (const token of [await book.linkTo(expired), link, reset, 'x'.repeat(43)]) {
      const { status, error } = await book.confirm(token);
      expect({ status, code: error?.code }).toEqual({ status: 400, code: 'invalid_link' });
    }
    expect((await api.call('POST', '/api/alert-addresses/confirm')).error?.code).toBe('missing_parameter');
  });

  test('confirms alerts only, and neither verifies an e-mail address nor resets a password', async () => {
    const customer = await book.newCustomer();
    const email = randomEmail();
    await book.add(customer, email);
    const token = await book.linkTo(email);
    expect((await api.call('POST', '/api/auth/verify-email', { body: { token } })).error?.code).toBe('invalid_link');
    const reset = { token, new_password: 'seven-calm-herons-fish' };
    expect((await api.call('POST', '/api/auth/reset-password', { body: reset })).error?.code).toBe('invalid_link');
  });

  test('shows a page that changes nothing when opened, and whose button confirms', async () => {
    const customer = await book.newCustomer();
    const email = randomEmail();
    await book.add(customer, email);
    const url = `${api.url}/api/alert-addresses/confirm?token=${await book.linkTo(email)}`;
    const page = await fetch(url, { headers: { accept: 'text/html', 'accept-language': 'ru' } });
    const html = await page.text();
    expect(page.status).toBe(200);
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(page.headers.get('referrer-policy')).toBe('no-referrer');
    expect(page.headers.get('cache-control')).toBe('no-store');
    expect(html).toContain('<form method="post"><button>Получать оповещения</button></form>');
    expect(await book.list(customer)).toMatchObject([{ status: 'pending' }]);

    const form = { method: 'POST', headers: { accept: 'text/html,*/*;q=0.8' }, body: new URLSearchParams() };
    const done = await fetch(url, form);
    expect([done.status, done.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(await done.text()).toContain(`Low-balance alerts are now sent to ${email}.`);
    expect(await book.list(customer)).toMatchObject([{ status: 'active' }]);
    const again = await fetch(url, form);
    expect(again.status).toBe(400);
    expect(await again.text()).toContain('This link no longer works.');
    const opened = await fetch(url, { headers: { accept: 'text/html' } });
    expect([opened.status, (await opened.text()).includes('<button>')]).toEqual([400, false]);
  });
});
