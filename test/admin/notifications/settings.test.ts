/** /api/settings/notifications: reading, changing, refusals, and the test mail. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Session } from '../../../admin/api/auth/session.ts';
import { readMail, startMailServer } from '../../harness/mail-server.ts';
import { type Harness, startHarness } from '../../harness.ts';
import type { Settings, TestResult } from '../api/response-types.ts';
import { type Api, createOperator, register, registerVerified, startApi } from '../api/start-api.ts';

const path = '/api/settings/notifications';

let harness: Harness;
let api: Api;

beforeAll(async () => {
  harness = await startHarness();
  api = await startApi(harness);
});
afterAll(async () => {
  await api.stop();
  await harness.stop();
});

const signUp = () => register(api);
const settings = async (token: string) => (await api.call<Settings>('GET', path, { token })).body;
const defaults: Settings = {
  emailNotificationsEnabled: true,
  lowBalanceThreshold: 500,
  lowBalanceThresholdRub: '500',
  notificationIntervalHours: 24,
  language: 'en',
  documentEmailsEnabled: true,
};

test('every method of the settings returns 401 without a token', async () => {
  for (const [method, place] of [
    ['GET', path],
    ['PUT', path],
    ['POST', `${path}/test`],
  ] as const) {
    const response = await api.call(method, place, method === 'PUT' ? { body: {} } : {});
    expect(response).toMatchObject({ status: 401, body: { error: { code: 'invalid_token' } } });
  }
});

test('the settings have the defaults if nothing was set', async () => {
  const { token } = await signUp();
  expect(await api.call('GET', path, { token })).toMatchObject({ status: 200, body: defaults });
});

test('the language of mails is the one the browser requested at sign-up', async () => {
  const body = { email: `${crypto.randomUUID()}@example.com`, password: 'three-quiet-otters-sing' };
  const headers = { 'accept-language': 'ru-RU,ru;q=0.9,en;q=0.5' };
  const { body: session } = await api.call<Session>('POST', '/api/auth/register', { body, headers });
  expect(await settings(session.accessToken)).toEqual({ ...defaults, language: 'ru' });
});

test('PUT returns 200 with the new settings, which GET then returns for this account only', async () => {
  const [one, other] = [await signUp(), await signUp()];
  const changed: Settings = {
    emailNotificationsEnabled: false,
    lowBalanceThreshold: 1234.56,
    lowBalanceThresholdRub: '1234.56',
    notificationIntervalHours: 6,
    language: 'ru',
    documentEmailsEnabled: false,
  };
  expect(await api.call('PUT', path, { token: one.token, body: changed })).toMatchObject({
    status: 200,
    body: changed,
  });
  expect(await settings(one.token)).toEqual(changed);
  expect(await settings(other.token)).toEqual(defaults);
});

test('an absent field of the settings stays unchanged', async () => {
  const { token } = await signUp();
  await api.call('PUT', path, { token, body: { lowBalanceThreshold: 42 } });
  const { body } = await api.call('PUT', path, { token, body: { notificationIntervalHours: 1 } });
  expect(body).toEqual({
    ...defaults,
    lowBalanceThreshold: 42,
    lowBalanceThresholdRub: '42',
    notificationIntervalHours: 1,
  });
});

test.each([0, 0.01, 0.1, 0.29, 1.1, 9_999_999.99, 10_000_000])(
  'a threshold of %d is kept exactly',
  async (threshold) => {
    const { token } = await signUp();
    await api.call('PUT', path, { token, body: { lowBalanceThreshold: threshold } });
    expect((await settings(token)).lowBalanceThreshold).toBe(threshold);
  },
);

test.each([0, 5e-324, 0.1, 1.5, 721, 1e6, 2 ** 53, Number.MAX_VALUE])(
  'an interval of %d hours is kept exactly',
  async (interval) => {
    const { token } = await signUp();
    const body = { notificationIntervalHours: interval };
    expect(await api.call('PUT', path, { token, body })).toMatchObject({ status: 200, body });
    expect((await settings(token)).notificationIntervalHours).toBe(interval);
  },
);

test.each([
  ['emailNotificationsEnabled', 'yes'],
  ['emailNotificationsEnabled', null],
  ['lowBalanceThreshold', -0.01],
  ['lowBalanceThreshold', 10_000_000.01],
  ['lowBalanceThreshold', 0.001],
  ['lowBalanceThreshold', 1e-7],
  ['lowBalanceThreshold', '500'],
  ['notificationIntervalHours', -0.001],
  ['notificationIntervalHours', '24'],
  ['notificationIntervalHours', null],
  ['language', 'de'],
  ['accountId', 1],
])('the settings return 400 that names %s if it is %p', async (param, value) => {
  const { token } = await signUp();
  const response = await api.call('PUT', path, { token, body: { language: 'ru', [param]: value } });
  expect(response).toMatchObject({ status: 400, body: { error: { code: 'invalid_parameter', param } } });
  expect(await settings(token)).toEqual(defaults);
});

test('a body that changes nothing returns 400 missing_parameter', async () => {
  const { token } = await signUp();
  const response = await api.call('PUT', path, { token, body: {} });
  expect(response).toMatchObject({ status: 400, body: { error: { code: 'missing_parameter' } } });
});

describe('the test mail', () => {
  test('goes to a file without a mail server, and only operators learn its path', async () => {
    const operator = await createOperator(harness, api);
    const { body } = await api.call<TestResult>('POST', `${path}/test`, { token: operator.token });
    expect(body).toMatchObject({ sent: true, to: operator.email });
    expect(body.response).toStartWith(harness.directory);
    const mail = readMail(Buffer.from(await Bun.file(body.response ?? '').arrayBuffer()).toString('latin1'));
    expect(mail.header('to')).toBe(operator.email);
    expect(mail.header('subject')).toBe('Test of your low-balance alerts');

    const { token, email } = await registerVerified(harness, api);
    const sent = await api.call<TestResult>('POST', `${path}/test`, { token });
    expect(sent).toMatchObject({ status: 200, body: { sent: true, to: email, response: null } });
  });

  test('goes through the mail server in the configured language, and only operators see its response', async () => {
    const server = await startMailServer();
    const mailing = await startApi(harness, {
      environment: { SMTP_URL: server.url, MAIL_FROM: 'Шлюз <g@example.com>' },
    });
    const send = async (token: string) => (await mailing.call<TestResult>('POST', `${path}/test`, { token })).body;
    const { token, email } = await registerVerified(harness, mailing);
    const operator = await createOperator(harness, mailing);
    await mailing.call('PUT', path, { token, body: { language: 'ru' } });
    expect(await send(token)).toEqual({ sent: true, to: email, response: null });
    expect(server.received[0]?.to).toEqual([email]);
    expect(server.received[0]?.part('text/plain')).toContain('ОПОВЕЩЕНИЯ ДОХОДЯТ');
    const response = expect.stringContaining('kept for the test');
    expect(await send(operator.token)).toEqual({ sent: true, to: operator.email, response });

    await server.stop();
    expect(await send(token)).toEqual({ sent: false, to: email, response: null });
    const refused = expect.stringContaining('ECONNREFUSED');
    expect(await send(operator.token)).toEqual({ sent: false, to: operator.email, response: refused });
    await mailing.stop();
  });

  test('returns 429 too_many_attempts with Retry-After for the fourth in ten minutes', async () => {
    const { token } = await registerVerified(harness, api);
    const ask = () => api.call('POST', `${path}/test`, { token });
    const statuses = (await Promise.all([ask(), ask(), ask(), ask()])).map(({ status }) => status);
    expect(statuses.sort()).toEqual([200, 200, 200, 429]);
    const { error, headers } = await ask();
    expect(error?.code).toBe('too_many_attempts');
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  });
});
