/**
 * GET /api/account/export returns everything about an account in one archive, as the API returns it, and nothing about
 * other accounts.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { applyCharges } from '../../../../admin/ledger/charges/apply-charges.ts';
import type { Charge } from '../../../../admin/ledger/charges/read-usage-entry.ts';
import { type Customer, testPassword } from '../../../harness/customers.ts';
import { noLimits } from '../../../harness/no-limits.ts';
import { testCatalogue } from '../../../harness/providers/test-catalogue.ts';
import { parseCsv, readZip } from '../../../harness/read-files.ts';
import { type Harness, startHarness } from '../../../harness.ts';
import { chargeOf } from '../../ledger/ledger.ts';
import { AddressBook } from '../notifications/address-book.ts';
import type {
  Balance,
  CreatedKey,
  KeyList,
  Profile,
  Receipt,
  RequestList,
  Settings,
  TransactionList,
} from '../response-types.ts';
import { type Api, createOperator, logIn, startApi } from '../start-api.ts';

let harness: Harness;
let api: Api;
let priceVersion: number;
beforeAll(async () => {
  harness = await startHarness();
  await harness.applyCatalogue(testCatalogue('http://127.0.0.1:9/v1'));
  const [price] = await harness.database.sql`SELECT version FROM model_prices WHERE model = 'test/chat'`;
  priceVersion = Number(price?.version);
  api = await startApi(harness);
});
afterAll(async () => {
  await api.stop();
  await harness.stop();
});

type Caller = Customer & { readonly token: string };

async function newCustomer(usd = '10'): Promise<Caller> {
  const customer = await harness.createCustomer({ usd });
  return { ...customer, token: await logIn(api, customer.email, testPassword) };
}

function chargeFor({ accountId, proxyKeyId }: Customer, change: Partial<Charge> = {}): Charge {
  const charge = chargeOf(accountId, { keyId: proxyKeyId, costNano: 10_800n, ...change });
  return { ...charge, detail: { ...charge.detail, priceVersion } };
}

const fetchExport = (token: string) =>
  fetch(`${api.url}/api/account/export`, { headers: { authorization: `Bearer ${token}` } });

async function exportOf({ token }: { token: string }): Promise<Map<string, string>> {
  const response = await fetchExport(token);
  expect(response.status).toBe(200);
  return readZip(await response.bytes());
}

const jsonOf = <Json>(files: Map<string, string>, name: string): Json => JSON.parse(files.get(name) ?? '');

test('the archive is a file that other programs can open, and its README describes each file', async () => {
  const customer = await newCustomer();
  const response = await fetchExport(customer.token);
  expect(response.headers.get('content-type')).toBe('application/zip');
  expect(response.headers.get('content-disposition')).toBe(`attachment; filename="account-${customer.accountId}.zip"`);
  expect(response.headers.get('cache-control')).toBe('no-store');
  const bytes = await response.bytes();
  const files = readZip(bytes);
  const names = [
    ...['profile.json', 'company.json', 'balance.json', 'notifications.json', 'keys.json'],
    ...['organization.json', 'members.json', 'projects.json', 'budgets.json', 'dimensions.json', 'sessions.json'],
    ...[
      'transactions.csv',
      'transactions.json',
      'payments.csv',
      'payments.json',
      'auto-top-up.json',
      'refunds.csv',
      'requests.csv',
      'documents.json',
      'mails.json',
      'audit.json',
    ],
  ];
  expect([...files.keys()]).toEqual(['README.txt', ...names]);
  for (const name of names) expect(files.get('README.txt')).toMatch(new RegExp(`^${name} +[A-Z].+\\.$`, 'm'));
  for (const [name, text] of files) if (name.endsWith('.json')) expect(() => JSON.parse(text)).not.toThrow();

  const path = join(harness.directory, 'export.zip');
  await Bun.write(path, bytes);
  const python = Bun.which('python3');
  if (python === null) return;
  const opened = Bun.spawnSync([python, '-m', 'zipfile', '--test', path]);
  expect(opened.stdout.toString()).toContain('Done testing');
});

test('the archive has the requests and transactions of the API, to the nano-dollar', async () => {
  const customer = await newCustomer('8999999.999999999');
  const { token } = customer;
  await harness.credit(customer.accountId, '0.000000001');
  const { sql } = harness.database;
  const estimate = chargeFor(customer, { rank: 1, costNano: 5_400n, chargedAt: new Date('2030-01-01T00:00:00Z') });
  await applyCharges(sql, [
    chargeFor(customer, { costNano: 10_000n, unchargedNano: 800n, chargedAt: new Date('2030-01-03T00:00:00Z') }),
    estimate,
  ]);
  const { requestId } = estimate;
  await applyCharges(sql, [chargeFor(customer, { requestId, chargedAt: new Date('2030-01-02T00:00:00Z') })]);
  const files = await exportOf(customer);

  const { body: listed } = await api.call<TransactionList>('GET', '/api/transactions', { token });
  const shown = listed.transactions.map(({ id, createdAt, type, amountUsd, description, requestId, model }) => ({
    ...{ id, createdAt, type, amountUsd, description },
    requestId: requestId ?? null,
    model: model ?? null,
  }));
  expect(shown).toHaveLength(5);
  expect(jsonOf<unknown>(files, 'transactions.json')).toEqual(shown);
  const csv = (await api.call('GET', '/api/transactions/export', { token })).body;
  expect(files.get('transactions.csv')).toBe(csv as string);
  const payments = parseCsv(files.get('payments.csv') ?? '');
  expect(payments.map(({ amount }) => amount)).toEqual(['0.000000001', '8999999.999999999']);
  expect(parseCsv(files.get('refunds.csv') ?? '')).toEqual([]);

  const rows = parseCsv(files.get('requests.csv') ?? '');
  const { body: requests } = await api.call<RequestList>('GET', '/api/requests', { token });
  expect(rows.map(({ requestId }) => requestId)).toEqual(requests.requests.map(({ requestId }) => requestId));
  for (const row of rows) {
    const { body: receipt } = await api.call<Receipt>('GET', `/api/requests/${row.requestId}`, { token });
    const { parts, ...cost } = receipt.cost;
    expect(row).toMatchObject({
      model: receipt.model,
      keyId: String(receipt.key.id),
      keyName: receipt.key.name ?? '',
      chargedAt: receipt.chargedAt,
      final: String(receipt.final),
      priceVersion: String(receipt.price.version),
      exactUsd: cost.exact,
      roundingUsd: cost.rounding,
      totalUsd: cost.total,
      unchargedUsd: cost.uncharged,
      chargedUsd: cost.charged,
    });
    for (const part of parts) {
      expect([row[`${part.class}Tokens`], row[`${part.class}PerMillionUsd`], row[`${part.class}Usd`]]).toEqual([
        String(part.tokens),
        part.perMillionTokens,
        part.amount,
      ]);
    }
  }
  const { body: balance } = await api.call<Balance>('GET', '/api/balance', { token });
  expect(jsonOf<object>(files, 'balance.json')).toMatchObject({
    balanceUsd: balance.balanceUsd,
    creditedUsd: '9000000',
    spentUsd: '0.0000208',
  });
});

test('profile, company, alert settings, keys, sessions and mails are exported', async () => {
  const customer = await newCustomer();
  const { token } = customer;
  const book = new AddressBook(harness, api);
  const proven = await book.addProven(customer);
  await api.call('PUT', '/api/profile', { token, body: { displayName: 'Ada' } });
  const company = { accountType: 'IP', fullName: 'Лавлейс Ада', inn: '500100732259' };
  await api.call('PUT', '/api/profile/details', { token, body: company });
  await api.call('PUT', '/api/settings/notifications', { token, body: { lowBalanceThreshold: 12.5 } });
  await api.call('PUT', '/api/organization/data-policy', { token, body: { zdr: true } });
  const limits = { spendLimits: { day: '0.000000001' } };
  const { body: deletedKey } = await api.call<CreatedKey>('POST', '/api/proxy-keys', {
    token,
    body: { name: 'x', limits },
  });
  await api.call('DELETE', `/api/proxy-keys/${deletedKey.id}`, { token });
  await logIn(api, customer.email, testPassword);
  const files = await exportOf(customer);

  const { body: profile } = await api.call<Profile>('GET', '/api/profile', { token });
  expect(jsonOf<object>(files, 'profile.json')).toMatchObject({
    id: profile.id,
    accountId: customer.accountId,
    email: customer.email,
    displayName: 'Ada',
    createdAt: profile.createdAt,
    secondFactors: { authenticatorAppSince: null, passkeys: [], recoveryCodesLeft: 0 },
  });
  const signIn = { require: 'none', oidc: null, domains: [] };
  expect(jsonOf<object>(files, 'organization.json')).toMatchObject({
    ...{ timeZone: 'UTC', dataPolicy: { zdr: true } },
    signIn,
  });
  expect(jsonOf<object>(files, 'company.json')).toEqual({ accountType: 'IP', ...profile.company });
  const { body: settings } = await api.call<Settings>('GET', '/api/settings/notifications', { token });
  expect(jsonOf<object>(files, 'notifications.json')).toMatchObject({
    emailNotificationsEnabled: settings.emailNotificationsEnabled,
    lowBalanceThresholdRub: '12.5',
    addresses: [{ email: proven, status: 'active' }],
  });
  const keys = jsonOf<{ id: number; prefix: string; deletedAt: string | null; spendLimits: object }[]>(
    files,
    'keys.json',
  );
  const { body: proxyKeys } = await api.call<KeyList>('GET', '/api/proxy-keys', { token });
  const living = keys.filter(({ deletedAt }) => deletedAt === null).map(({ id }) => id);
  expect(living).toEqual(expect.arrayContaining(proxyKeys.keys.map(({ id }) => id)));
  expect(keys.at(-1)).toMatchObject({
    id: deletedKey.id,
    deletedAt: expect.any(String),
    spendLimits: { dayUsd: '0.000000001' },
  });
  expect(jsonOf<object[]>(files, 'members.json')).toMatchObject([{ id: profile.id, role: 'owner' }]);
  expect(jsonOf<object[]>(files, 'projects.json')).toEqual([]);
  const sessions = jsonOf<{ isThisOne: boolean; endedAt: string | null }[]>(files, 'sessions.json');
  expect(sessions.map(({ isThisOne, endedAt }) => [isThisOne, endedAt])).toEqual([
    [true, null],
    [false, null],
  ]);
  expect(jsonOf<object[]>(files, 'mails.json')).toMatchObject([{ kind: 'verify_alert_address', recipient: proven }]);
});

test('the export has what operators did and why, but not which operator it was', async () => {
  const customer = await newCustomer();
  const operator = await createOperator(harness, api);
  const path = `/api/operator/accounts/${customer.accountId}/limits`;
  const headers = { 'x-forwarded-for': '203.0.113.77' };
  await api.call('PUT', path, { token: operator.token, headers, body: { requestsPerMinute: 5, reason: 'load test' } });
  await api.call('POST', '/api/keys', { token: customer.billingKey, body: { name: 'by a program' } });
  const files = await exportOf(customer);
  expect(jsonOf<unknown>(files, 'audit.json')).toEqual([
    expect.objectContaining({ by: 'you', action: 'account.export' }),
    expect.objectContaining({ by: `billing key ${customer.billingKey.slice(0, 11)}`, action: 'key.create' }),
    {
      at: expect.any(String),
      by: 'operator',
      action: 'account.limits',
      subject: `account ${customer.accountId}`,
      reason: 'load test',
      before: noLimits.rateLimits,
      after: { ...noLimits.rateLimits, requestsPerMinute: 5 },
    },
  ]);
  const everything = [...files.values()].join('');
  for (const foreign of [operator.email, '203.0.113.77']) expect(everything).not.toContain(foreign);
});

test('the archive has no secret and no hash', async () => {
  const customer = await newCustomer();
  const everything = [...(await exportOf(customer)).values()].join('\n');
  const rows = await harness.database.sql`
    SELECT hash AS secret FROM api_keys WHERE account_id = ${customer.accountId}
    UNION ALL SELECT password_hash FROM users WHERE id = ${customer.userId}
    UNION ALL SELECT token_hash FROM refresh_tokens WHERE user_id = ${customer.userId}
    UNION ALL SELECT family::text FROM refresh_tokens WHERE user_id = ${customer.userId}`;
  expect(rows.length).toBe(5);
  const secrets = [...rows.map(({ secret }) => secret), customer.proxyKey, customer.billingKey, customer.token];
  for (const secret of secrets) expect(everything).not.toContain(secret);
  expect(everything).not.toMatch(/argon|stopToken/i);
});

describe('an account export', () => {
  test('has nothing of another account', async () => {
    const [mine, theirs] = [await newCustomer(), await newCustomer()];
    await applyCharges(harness.database.sql, [chargeFor(theirs)]);
    const files = await exportOf(mine);
    expect(parseCsv(files.get('requests.csv') ?? '')).toEqual([]);
    expect(parseCsv(files.get('transactions.csv') ?? '')).toHaveLength(1);
    const everything = [...files.values()].join('');
    for (const foreign of [theirs.email, theirs.proxyKey.slice(0, 11)]) expect(everything).not.toContain(foreign);
  });

  test('returns 401 or 403, and no byte of an archive, without a valid session', async () => {
    const customer = await newCustomer();
    const ended = await newCustomer();
    await api.call('POST', '/api/auth/logout', { token: ended.token });
    for (const [token, status] of [
      ['', 401],
      [customer.proxyKey, 403],
      [customer.billingKey, 403],
      [ended.token, 401],
    ] as const) {
      const response = await fetchExport(token);
      expect([response.status, response.headers.get('content-type')]).toEqual([
        status,
        'application/json;charset=utf-8',
      ]);
    }
  });
});
