/**
 * What an attacker can do with another person's address: make it receive a few verification links, and no other mail,
 * document or order, whatever they call.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import fc from 'fast-check';
import { type OpenApiDocument, type Operation, operationsOf } from '../../../harness/openapi/operations-of.ts';
import { type Harness, startHarness } from '../../../harness.ts';
import { mailsTo, newestToken } from '../mailbox.ts';
import {
  type Api,
  type ApiResponse,
  createOperator,
  goodPassword,
  randomAddress,
  randomEmail,
  register,
  startApi,
} from '../start-api.ts';

let harness: Harness;
let api: Api;
beforeAll(async () => {
  harness = await startHarness();
  const sellerFile = join(import.meta.dir, '../../../../local/start/demo-seller.yaml');
  api = await startApi(harness, { environment: { SELLER_FILE: sellerFile, CBR_URL: 'off', TEST_PAYMENTS: 'true' } });
});
afterAll(async () => {
  await api.stop();
  await harness.stop();
});

const company = {
  accountType: 'OOO',
  companyName: 'Buy cheap pills',
  inn: '7707083893',
  kpp: '770701001',
  ogrn: '1027700132195',
  legalAddress: 'Moscow',
  actualAddress: 'Moscow',
  directorName: 'A. Stranger',
  bankName: 'Bank',
  bik: '044525225',
  checkingAccount: '40702810938000000001',
  correspondentAccount: '30101810400000000225',
};
const keyed = () => ({ 'idempotency-key': crypto.randomUUID() });
const invoice = (token: string) =>
  api.call('POST', '/api/payments', {
    token,
    headers: keyed(),
    body: { method: 'invoice', amount: '1000.00', currency: 'RUB' },
  });
const reconciliation = (token: string) =>
  api.call('POST', '/api/documents', {
    token,
    body: { type: 'reconciliation', from: '2026-01-01', to: '2026-01-31' },
  });
const sendTest = (token: string) => api.call('POST', '/api/settings/notifications/test', { token });

async function countRows(accountOf: number): Promise<{ payments: number; documents: number }> {
  const [row] = await harness.database.sql<{ payments: string; documents: string }[]>`
    SELECT (SELECT count(*) FROM payments WHERE account_id = users.account_id) AS payments,
      (SELECT count(*) FROM documents WHERE account_id = users.account_id) AS documents
    FROM users WHERE id = ${accountOf}`;
  return { payments: Number(row?.payments), documents: Number(row?.documents) };
}

const giveBalance = (userId: number) =>
  harness.database.sql`
    UPDATE accounts SET balance_nano = 10000000000, credited_nano = 10000000000
    WHERE id = (SELECT account_id FROM users WHERE id = ${userId})`;

describe('an account whose address is not verified', () => {
  test.each([
    ['an invoice', invoice],
    ['a card payment', (token: string) => cardPayment(token)],
    ['a document', reconciliation],
    ['a test mail', sendTest],
  ])('gets 403 for %s, and access once the address is verified', async (_what, ask) => {
    const { email, token, id } = await register(api);
    expect((await api.call('PUT', '/api/profile/details', { token, body: company })).status).toBe(200);
    const refused = await ask(token);
    expect(refused).toMatchObject({ status: 403, error: { type: 'permission_error', code: 'email_not_verified' } });
    expect(await countRows(id)).toEqual({ payments: 0, documents: 0 });
    const body = { token: await newestToken(harness, email, 'verify_email') };
    expect((await api.call('POST', '/api/auth/verify-email', { token, body })).status).toBe(200);
    expect((await ask(token)).status).toBeWithin(200, 202);
  });

  const cardPayment = (token: string) =>
    api.call('POST', '/api/payments', {
      token,
      headers: keyed(),
      body: { method: 'test', amount: '10.00', currency: 'USD' },
    });

  test('is mailed nothing except verification links, whatever is called in whatever order', async () => {
    const document = (await api.call<OpenApiDocument>('GET', '/api/docs/json')).body;
    // Without the operations that end the session that the others need.
    const isCalled = ({ route }: Operation) =>
      !/^GET|\/operator\/|\/logout$|\/profile\/sessions$|\/api\/account$/.test(route);
    const operations = operationsOf(document).filter(isCalled);
    expect(operations.length).toBeGreaterThan(20);
    const other = await createOperator(harness, api);
    const byRoute = new Map(operations.map((operation) => [operation.route, operation]));
    const anyOrder = fc.shuffledSubarray([...byRoute.keys()], { minLength: byRoute.size });
    await fc.assert(
      fc.asyncProperty(anyOrder, async (order) => {
        const { email, token, id } = await register(api);
        await api.call('PUT', '/api/profile/details', { token, body: company });
        await giveBalance(id);
        let password = goodPassword;
        for (const route of order) {
          const operation = byRoute.get(route);
          const [method = '', path = ''] = route.split(' ');
          const example = Object(operation?.requestBody?.content['application/json']).example;
          const body = replaced(example, { ownPassword: password, otherEmail: other.email });
          const status = await callFreely(method, path.replaceAll(/\{\w+\}/g, '1'), token, body);
          if (operation?.operationId === 'changePassword') {
            expect(status).toBe(204);
            password = example.new_password;
          }
        }
        const isOther = ({ kind }: { kind: string }) => kind !== 'verify_email' && kind !== 'reset_password';
        expect((await mailsTo(harness, email)).filter(isOther)).toEqual([]);
        // Forgets what was mailed before.
        const body = { current_password: password, forfeitBalanceUsd: 10 };
        expect((await api.call('DELETE', '/api/account', { token, body })).status).toBe(200);
        expect(await mailsTo(harness, email)).toEqual([]);
      }),
      { numRuns: 2 },
    );
  });

  test('gets no mail about its balance', async () => {
    const { email, token, id } = await register(api);
    await giveBalance(id);
    const raise = () =>
      api.call('PUT', '/api/settings/notifications', { token, body: { lowBalanceThreshold: 100_000 } });
    expect((await raise()).status).toBe(200);
    const low = (await mailsTo(harness, email)).filter(({ kind }) => kind === 'low_balance');
    expect(low).toEqual([]);
  });
});

/** The example with the attacker's own password, and with an address where it has others. */
function replaced(example: unknown, own: { ownPassword: string; otherEmail: string }): object {
  const values = Object.entries(Object(example)).map(([name, value]) => {
    if (name === 'email') return [name, own.otherEmail];
    if (name === 'password' || name === 'current_password') return [name, own.ownPassword];
    return [name, value];
  });
  return Object.fromEntries(values);
}

/** Any response will do. */
async function callFreely(method: string, path: string, token: string, body: object): Promise<number> {
  const headers = { authorization: `Bearer ${token}`, 'x-forwarded-for': randomAddress(), ...keyed() };
  const response = await fetch(`${api.url}${path}`, { method, headers, body: JSON.stringify(body) });
  await response.body?.cancel();
  return response.status;
}

describe('one mailbox', () => {
  const spellings = (n: number) => {
    const local = crypto.randomUUID().replaceAll('-', '');
    return Array.from(
      { length: n },
      (_, index) =>
        [`${local}+${index}@example.com`, `${local.slice(0, 4)}.${local.slice(4)}+x${index}@EXAMPLE.com`][index % 2] ??
        '',
    );
  };
  const signUp = (email: string): Promise<ApiResponse> =>
    api.call('POST', '/api/auth/register', { body: { email, password: goodPassword } });
  const countMails = async (addresses: readonly string[]) => {
    const mails = await Promise.all(addresses.map((address) => mailsTo(harness, address)));
    return mails.flat().length;
  };

  test('gets at most 5 mails an hour from sign-ups, however the address is written', async () => {
    const addresses = spellings(8);
    const responses = [];
    for (const email of addresses) responses.push(await signUp(email));
    expect(responses.map(({ status }) => status)).toEqual([...Array(5).fill(201), ...Array(3).fill(429)]);
    expect(await countMails(addresses)).toBe(5);
  });

  test('gets no more mails from links that are requested again or from forgotten passwords', async () => {
    const [first = '', ...others] = spellings(3);
    const response = await api.call<{ accessToken: string }>('POST', '/api/auth/register', {
      body: { email: first, password: goodPassword },
    });
    for (const email of others) expect((await signUp(email)).status).toBe(201);
    for (let count = 0; count < 4; count += 1) {
      for (const email of [first, ...others]) {
        expect((await api.call('POST', '/api/auth/forgot-password', { body: { email } })).status).toBe(202);
      }
      await api.call('POST', '/api/auth/resend-verification', { token: response.body.accessToken });
    }
    expect(await countMails([first, ...others])).toBe(5);
  });

  test('gets at most 10 mails a day', async () => {
    const addresses = spellings(12);
    for (const email of addresses) {
      await signUp(email);
      // As if each hour were over.
      const hourly = await harness.redis.keys('{auth}:mails:verify:*');
      if (hourly.length > 0) await harness.redis.del(...hourly);
    }
    expect(await countMails(addresses)).toBe(10);
  });

  test('can always reset the password after its owner verified it, however many requests others make', async () => {
    const { email, token } = await register(api);
    const body = { token: await newestToken(harness, email, 'verify_email') };
    await api.call('POST', '/api/auth/verify-email', { token, body });
    const [local = '', domain = ''] = email.split('@');
    for (let index = 0; index < 8; index += 1) {
      const tagged = `${local}+${index}@${domain}`;
      await signUp(tagged);
      await api.call('POST', '/api/auth/forgot-password', { body: { email: tagged } });
    }
    expect((await api.call('POST', '/api/auth/forgot-password', { body: { email } })).status).toBe(202);
    expect((await mailsTo(harness, email)).at(-1)?.kind).toBe('reset_password');
    const reset = {
      token: await newestToken(harness, email, 'reset_password'),
      new_password: 'seven-calm-herons-fish',
    };
    expect((await api.call('POST', '/api/auth/reset-password', { body: reset })).status).toBe(204);
  });

  test('is not shared by different people', async () => {
    for (let count = 0; count < 6; count += 1) expect((await signUp(randomEmail())).status).toBe(201);
  });
});
