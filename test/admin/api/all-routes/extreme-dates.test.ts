/** Extreme dates are either accepted or refused with a code, and never cause a 500. */
import { afterAll, describe, expect, test } from 'bun:test';
import { startHarness } from '../../../harness.ts';
import { createOperator, startApi } from '../start-api.ts';

const harness = await startHarness();
const api = await startApi(harness);
const operator = await createOperator(harness, api);

afterAll(async () => {
  await api.stop();
  await harness.stop();
});

/** The year is written with four digits; in UTC it is 0 or 10000. */
const beyond = [
  '0000-01-01T00:00:00Z',
  '0000-02-29T00:00:00Z',
  '0000-12-31T23:59:59+23:59',
  '0001-01-01T00:00:00+23:59',
  '9999-12-31T23:59:59-23:59',
  '10000-01-01T00:00:00Z',
  '+010000-01-01T00:00:00Z',
  '-000001-01-01T00:00:00Z',
];
const lists = ['/api/transactions', '/api/transactions/export', '/api/requests', '/api/operator/audit'];

async function get(path: string, query: Readonly<Record<string, string>>) {
  const { status, error } = await api.call('GET', `${path}?${new URLSearchParams(query)}`, { token: operator.token });
  return status === 200 ? '200' : `${status} ${error?.code} ${error?.param}`;
}

describe.each(beyond)('%s', (instant) => {
  test.each(lists)('is refused by %s', async (path) => {
    expect(await get(path, { from: instant })).toBe('400 invalid_parameter from');
    expect(await get(path, { to: instant })).toBe('400 invalid_parameter to');
  });

  test('is refused as the expiry of a key and as the start of a catalogue', async () => {
    const name = 'a key';
    const keys = await api.call('POST', '/api/keys', {
      token: operator.billingKey,
      body: { name, expires_at: instant },
    });
    expect(keys.error).toMatchObject({ code: 'invalid_parameter', param: 'expires_at' });
    const body = { catalogue: 'providers: []\nmodels: []\n', effectiveFrom: instant };
    const scheduled = await api.call('POST', '/api/operator/catalogue/scheduled', { token: operator.token, body });
    expect([scheduled.status, scheduled.error?.code]).toBeOneOf([
      [400, 'invalid_parameter'],
      [400, 'invalid_catalogue'],
    ]);
  });
});

test('the first and the last possible instant are accepted', async () => {
  for (const path of lists) {
    expect(await get(path, { from: '0001-01-01T00:00:00Z', to: '9999-12-31T23:59:59.999Z' })).toBe('200');
  }
});

test('a key may expire in the last possible second', async () => {
  const body = { name: 'a key', expires_at: '9999-12-31T23:59:59Z' };
  expect((await api.call('POST', '/api/keys', { token: operator.billingKey, body })).status).toBe(201);
});

describe('GET usage', () => {
  const zones = ['UTC', 'Pacific/Kiritimati', 'America/Adak'];
  const early = ['0000-01-01', '0000-12-31', '0001-01-01', '0001-01-02', '1969-12-31', '0001-01-01T00:00:00Z'];

  test.each(zones)('has no day before 1970 in %s', async (timeZone) => {
    for (const day of [...early, ...beyond]) {
      expect(await get('/api/usage', { from: day, timeZone })).toBe('400 invalid_parameter from');
      expect(await get('/api/usage', { to: day, timeZone })).toBe('400 invalid_parameter to');
    }
  });

  test.each(zones)('succeeds for the first and the last day in %s', async (timeZone) => {
    for (const to of ['1970-01-01', '1970-01-02T00:00:00Z', '9999-12-31', '9999-12-31T23:45:00Z']) {
      expect([to, await get('/api/usage', { to, timeZone })]).toEqual([to, '200']);
    }
    expect(await get('/api/usage', { from: '9999-12-31', to: '9999-12-31T23:45:00Z', timeZone })).toBeOneOf([
      '200',
      '400 invalid_parameter to',
    ]);
  });
});

describe('a cursor', () => {
  const id = '01945b2e-7c1a-7d3e-8f10-2b3c4d5e6f70';
  const cursorOf = (text: string) => Buffer.from(text).toString('base64url');

  test('a cursor of the last possible instant returns a page', async () => {
    expect(await get('/api/requests', { cursor: cursorOf(`253402300799999_${id}`) })).toBe('200');
    expect(await get('/api/requests', { cursor: cursorOf(`0_${id}`) })).toBe('200');
  });

  test.each([
    `253402300800000_${id}`,
    `8640000000000000_${id}`,
    `9999999999999999_${id}`,
    `99999999999999999999_${id}`,
    `-1_${id}`,
    `1e3_${id}`,
    `0x10_${id}`,
    `1_${id}\n`,
    `1_${id}\u0000`,
    `1_${id}' OR 1=1`,
    `_${id}`,
    '1_',
    '',
    '\u0000',
  ])('is refused if it says %j', async (text) => {
    expect(await get('/api/requests', { cursor: cursorOf(text) })).toBe('400 invalid_parameter cursor');
  });
});
