/** Keys and transactions at the command line: the same operations as in the API, with the same output. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { applyCharges } from '../../../admin/ledger/charges/apply-charges.ts';
import { hashKey, parseKey } from '../../../shared/keys/api-key.ts';
import { shardOfAccount } from '../../../shared/wallet/shard.ts';
import { namedCatalogue } from '../../harness/providers/named-catalogue.ts';
import { type Harness, startHarness } from '../../harness.ts';
import type { AuditList, CreatedKey, KeyList, ProxyKey, RotatedKey, TransactionList } from '../api/response-types.ts';
import { chargeOf } from '../ledger/ledger.ts';
import { type Gateway, gatewayOf } from './run-gateway.ts';

let harness: Harness;
let gateway: Gateway;
beforeAll(async () => {
  harness = await startHarness();
  gateway = gatewayOf(harness);
  const path = join(harness.directory, 'catalogue.yaml');
  await Bun.write(path, namedCatalogue('http://127.0.0.1:9/v1'));
  expect((await gateway(['catalogue', 'apply', path])).exitCode).toBe(0);
});
afterAll(() => harness.stop());

const run = <Json>(...args: string[]) => gateway<Json>([...args, '--json']);
const newestEntry = async () => (await run<AuditList>('audit', '--limit', '1')).json.entries[0];
const inRedis = (accountId: number, key: string) =>
  harness.redis.hgetall(`{s${shardOfAccount(accountId)}}:key:${hashKey(key, harness.keyPepper)}`);

test('a key is created with limits, changed, deactivated and activated, each effective immediately', async () => {
  const { email, accountId } = await harness.createCustomer({ usd: '1' });
  const limits = ['--models', 'test/chat', '--spend-day', '0.000000001', '--requests-per-minute', '60'];
  const made = await run<CreatedKey>('key', 'create', '--email', email, '--name', 'ci', ...limits);
  const { id, key } = made.json;
  expect(await newestEntry()).toMatchObject({
    action: 'key.create',
    after: { allowedModels: ['test/chat'], spendLimitDay: '0.000000001', requestsPerMinute: 60 },
  });
  const { json: listed } = await run<KeyList>('key', 'list', '--email', email);
  expect(listed.keys.find((one) => one.id === id)).toMatchObject({
    kind: 'proxy',
    limits: {
      allowedModels: ['test/chat'],
      spendLimits: { day: 1e-9, month: null },
      rateLimits: { requestsPerMinute: 60 },
    },
    spend30d: 0,
  } as never);

  const change = ['--name', 'nightly', '--expires-at', '2100-01-01', '--spend-day', 'none', '--spend-total', '7'];
  const changed = await run<ProxyKey>('key', 'update', '--id', String(id), ...change);
  expect(changed.json).toMatchObject({
    name: 'nightly',
    expiresAt: '2100-01-01T00:00:00.000Z',
    limits: {
      allowedModels: ['test/chat'],
      spendLimits: { day: null, total: 7 },
      rateLimits: { requestsPerMinute: 60 },
    },
  });
  expect(await newestEntry()).toMatchObject({
    action: 'key.update',
    subject: `key ${id}`,
    accountId,
    before: { name: 'ci', spendLimitDay: '0.000000001', spendLimitTotal: null, expiresAt: null },
    after: { name: 'nightly', spendLimitDay: null, spendLimitTotal: '7', expiresAt: '2100-01-01T00:00:00.000Z' },
  });
  const endless = await run<ProxyKey>('key', 'update', '--id', String(id), '--expires-at', 'none');
  expect(endless.json.expiresAt).toBeNull();

  const off = await run<ProxyKey>('key', 'deactivate', '--id', String(id));
  expect(off.json).toMatchObject({ active: false, state: 'inactive' });
  expect((await inRedis(accountId, key)).active).toBe('0');
  expect(await newestEntry()).toMatchObject({ before: { active: true }, after: { active: false } });
  expect((await run<ProxyKey>('key', 'activate', '--id', String(id))).json.state).toBe('active');
  expect((await inRedis(accountId, key)).active).toBe('1');
});

test('key rotate creates a key like the old one, which expires after the grace period', async () => {
  const { email, accountId } = await harness.createCustomer({ usd: '1' });
  const limits = ['--spend-month', '5'];
  const { id } = (await run<CreatedKey>('key', 'create', '--email', email, '--name', 'ci', ...limits)).json;
  const before = Date.now();
  const rotated = await run<RotatedKey>('key', 'rotate', '--id', String(id), '--grace-hours', '2');
  expect(parseKey(rotated.json.key)?.kind).toBe('proxy');
  expect(rotated.json.replaces.id).toBe(id);
  expect(Date.parse(rotated.json.replaces.expiresAt)).toBeGreaterThanOrEqual(before + 2 * 3_600_000);
  expect((await inRedis(accountId, rotated.json.key)).active).toBe('1');
  const { json } = await run<KeyList>('key', 'list', '--email', email);
  expect(json.keys.find((one) => one.id === rotated.json.id)).toMatchObject({
    name: 'ci',
    limits: { spendLimits: { month: 5 } },
  } as never);
  expect(await newestEntry()).toMatchObject({
    action: 'key.rotate',
    subject: `key ${id}`,
    after: { newKey: rotated.json.id },
  });
});

test('billing-key list shows only billing keys, and billing-key revoke accepts nothing else', async () => {
  const { email, proxyKeyId } = await harness.createCustomer({ usd: '1' });
  const made = await run<CreatedKey>('billing-key', 'create', '--email', email, '--name', 'x');
  expect(parseKey(made.json.key)?.kind).toBe('billing');
  const { json } = await run<KeyList>('billing-key', 'list', '--email', email);
  expect(json.keys.map(({ name, id }) => [name, id === made.json.id])).toEqual([
    ['x', true],
    ['test', false],
  ]);
  expect((await run('billing-key', 'revoke', '--id', String(proxyKeyId))).error?.code).toBe('not_found');
  expect((await run('billing-key', 'revoke', '--id', String(made.json.id))).exitCode).toBe(0);
  expect((await run<KeyList>('billing-key', 'list', '--email', email)).json.keys).toHaveLength(1);
});

test('a key is allowed addresses when it is created and later, and none is any', async () => {
  const { email, accountId } = await harness.createCustomer({ usd: '1' });
  const allowed = ['--allowed-ip', '203.0.113.7, 2001:DB8::/32'];
  const made = await run<CreatedKey>('key', 'create', '--email', email, '--name', 'ci', ...allowed);
  const { id, key } = made.json;
  expect(await newestEntry()).toMatchObject({ after: { allowedIps: ['203.0.113.7', '2001:db8::/32'] } });
  expect(JSON.parse((await inRedis(accountId, key)).addresses ?? '')).toEqual({
    key: ['203.0.113.7', '2001:db8::/32'],
  });
  const update = (ip: string) => run<ProxyKey>('key', 'update', '--id', String(id), '--allowed-ip', ip);
  expect((await update('10.0.0.0/8')).json.allowedIps).toEqual(['10.0.0.0/8']);
  expect((await update('none')).json.allowedIps).toBeNull();
  expect((await inRedis(accountId, key)).addresses).toBeUndefined();
});

test('a key has a data policy when it is created and later, and an omitted option of it stays as it is', async () => {
  const { email, accountId } = await harness.createCustomer({ usd: '1' });
  const policy = ['--deny-training', '--countries', 'de, FR', '--only-providers', 'azure'];
  const made = await run<CreatedKey>('key', 'create', '--email', email, '--name', 'ci', ...policy);
  const { id, key } = made.json;
  const created = { dataCollection: 'deny', countries: ['DE', 'FR'], only: ['azure'] };
  expect(await newestEntry()).toMatchObject({ after: { dataPolicy: created } });
  expect(JSON.parse((await inRedis(accountId, key)).addresses ?? '')).toEqual({ dataPolicies: { key: created } });
  const update = (...options: string[]) => run<ProxyKey>('key', 'update', '--id', String(id), ...options);
  const { dataPolicy } = (await update('--zdr', '--only-providers', 'none', '--ignore-providers', 'Azure')).json;
  expect(dataPolicy).toEqual({
    ...{ dataCollection: 'deny', zdr: true, countries: ['DE', 'FR'] },
    only: [],
    ignore: ['azure'],
  });
  expect((await update('--name', 'nightly')).json.dataPolicy).toEqual(dataPolicy);
  expect((await update('--no-deny-training', '--ignore-providers', 'none')).json.dataPolicy).toMatchObject({
    ...{ dataCollection: 'allow', zdr: true, countries: ['DE', 'FR'], ignore: [] },
  });
  expect((await update('--no-zdr', '--countries', 'none')).json.dataPolicy).toBeNull();
  expect((await inRedis(accountId, key)).addresses).toBeUndefined();
});

test('how long responses are given again is set, changed, removed, published and audited', async () => {
  const { email, accountId } = await harness.createCustomer({ usd: '0' });
  const made = await run<CreatedKey>('key', 'create', '--email', email, '--name', 'ci', '--cache-seconds', '60');
  const { id, key } = made.json;
  expect(await newestEntry()).toMatchObject({ after: { cacheSeconds: 60 } });
  expect(JSON.parse((await inRedis(accountId, key)).addresses ?? '')).toEqual({ cacheSeconds: 60 });
  const update = (...options: string[]) => run<ProxyKey>('key', 'update', '--id', String(id), ...options);
  expect((await update('--name', 'nightly')).json.cacheSeconds).toBe(60);
  expect((await update('--cache-seconds', 'none')).json.cacheSeconds).toBeNull();
  expect(await newestEntry()).toMatchObject({ before: { cacheSeconds: 60 }, after: { cacheSeconds: null } });
  expect((await inRedis(accountId, key)).addresses).toBeUndefined();
});

test.each([
  ['an unknown model', ['create', '--models', 'none/such'], 1, 'limits.allowedModels[0]'],
  ['a malformed amount', ['create', '--spend-day', 'much'], 1, 'limits.spendLimits.day'],
  ['a malformed address', ['create', '--allowed-ip', '10.0.0.1,10.0.0.1/8'], 1, 'allowedIps[1]'],
  ['a region that is no country', ['create', '--countries', 'DE,EU'], 1, 'dataPolicy.countries[1]'],
  ['an unknown provider', ['update', '--id', 'KEY', '--ignore-providers', 'nobody'], 1, 'dataPolicy.ignore[0]'],
  ['a time of the cache that is too long', ['create', '--cache-seconds', '86401'], 1, 'cacheSeconds'],
  ['a past expiry', ['update', '--id', 'KEY', '--expires-at', '2020-01-01'], 1, 'expires_at'],
  ['an unknown key', ['deactivate', '--id', '999999999'], 1, 'id'],
  ['no change', ['update', '--id', 'KEY'], 2, undefined],
  ['a rate that is not a number', ['update', '--id', 'KEY', '--tokens-per-minute', 'many'], 2, undefined],
  ['a grace period that is not a number', ['rotate', '--id', 'KEY', '--grace-hours', 'some'], 1, 'graceHours'],
])('the call %s is refused', async (_, args, exitCode, param) => {
  const { email, proxyKeyId } = await harness.createCustomer({ usd: '0' });
  const owner = args[0] === 'create' ? ['--email', email, '--name', 'x'] : [];
  const given = args.map((arg) => (arg === 'KEY' ? String(proxyKeyId) : arg));
  const refused = await run('key', ...given, ...owner);
  expect({ exitCode: refused.exitCode, param: refused.error?.param }).toEqual({ exitCode, param });
});

test('transactions are listed as in the API, and exported to a file that only its owner can read', async () => {
  const { email, accountId, proxyKeyId } = await harness.createCustomer({ usd: '5' });
  await applyCharges(harness.database.sql, [chargeOf(accountId, { keyId: proxyKeyId, costNano: 10_800n })]);
  const all = await run<TransactionList>('transactions', '--email', email);
  expect(all.json.transactions.map(({ type, amount }) => [type, amount])).toEqual([
    ['usage', -0.0000108],
    ['payment', 5],
  ]);
  const payments = await run<TransactionList>('transactions', '--account', String(accountId), '--type', 'payment');
  expect(payments.json.transactions).toEqual(all.json.transactions.slice(1));
  const second = await run<TransactionList>('transactions', '--email', email, '--limit', '1', '--offset', '1');
  expect(second.json).toEqual(payments.json);
  const { out } = await gateway(['transactions', '--email', email, '--limit', '1']);
  expect(out).toContain('\tusage\t-$0.0000108\t');
  expect((await run('transactions', '--email', email, '--type', 'gift')).error?.param).toBe('type');

  const path = join(harness.directory, 'transactions.csv');
  expect((await run('export', path, '--email', email, '--type', 'payment')).json).toEqual({ file: path });
  const [head, line, end] = (await Bun.file(path).text()).split('\r\n');
  expect(head).toStartWith('id,createdAt,type,amount,currency');
  expect(line).toContain(',payment,5,USD,');
  expect(end).toBe('');
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  const nowhere = await run('export', join(harness.directory, 'no/such/folder.csv'), '--email', email);
  expect(nowhere).toMatchObject({ exitCode: 1, error: { code: 'file_unwritable', param: 'file' } });
});
