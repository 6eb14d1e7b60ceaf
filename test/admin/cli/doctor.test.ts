/** `gateway doctor` on a running system finds each fault in the place where it was made, with advice. */

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { join } from 'node:path';
import { createServer } from 'node:tls';
import { sealSecret } from '../../../admin/auth/sealed-secret.ts';
import { clockFinding } from '../../../admin/cli/commands/operations/doctor/check-clock.ts';
import { checkDisk, diskFinding } from '../../../admin/cli/commands/operations/doctor/check-disk.ts';
import { certificateFinding } from '../../../admin/cli/commands/operations/doctor/check-public-address.ts';
import { memoryFinding } from '../../../admin/cli/commands/operations/doctor/check-redis.ts';
import { startRedis } from '../../../local/servers/redis.ts';
import { writeHealth } from '../../../shared/health/deployment-health.ts';
import { allShards } from '../../../shared/wallet/shard.ts';
import { makeCertificate } from '../../harness/certificate.ts';
import { readIdentity } from '../../harness/wallet/shard-state.ts';
import { type Harness, startHarness } from '../../harness.ts';
import { type Gateway, gatewayOf } from './run-gateway.ts';

interface Check {
  readonly check: string;
  readonly status: string;
  readonly detail: string;
  readonly advice?: string;
}

let harness: Harness;
let gateway: Gateway;

beforeAll(async () => {
  harness = await startHarness();
  gateway = gatewayOf(harness);
});
afterAll(() => harness.stop());

async function diagnose(environment: object = {}): Promise<readonly Check[]> {
  const { json } = await gateway<{ checks: Check[] }>(['doctor', '--json'], {
    environment: { JWT_SECRET: harness.jwtSecret, ...environment },
  });
  return json.checks;
}

const gibibyte = 1024 ** 3;

test.each([
  [0, 'ok'],
  [-900, 'ok'],
  [1_500, 'warn'],
  [-31_000, 'fail'],
])('a clock that is %i ms ahead has the status %s', (aheadMs, status) => {
  expect(clockFinding('redis', aheadMs).status as string).toBe(status);
});

test.each([
  [50, 'ok'],
  [10, 'warn'],
  [4, 'fail'],
])('a disk with %i percent free has the status %s', (percent, status) => {
  const disk = { folder: '/data', freeBytes: percent * gibibyte, totalBytes: 100 * gibibyte };
  expect(diskFinding('postgres', disk).status as string).toBe(status);
});

test('only the disk of a server on this machine can be measured', () => {
  expect(checkDisk('redis', { host: '127.0.0.1', folder: harness.directory })).toHaveLength(1);
  expect(checkDisk('redis', { host: '10.0.0.1', folder: harness.directory })).toEqual([]);
  expect(checkDisk('redis', { host: '127.0.0.1', folder: join(harness.directory, 'none') })).toEqual([]);
});

test.each([
  [50, 'ok'],
  [75, 'warn'],
  [91, 'fail'],
])('a Redis that uses %i percent of its memory has the status %s', (percent, status) => {
  const memory = { usedBytes: percent * gibibyte, maxBytes: 100 * gibibyte };
  expect(memoryFinding('redis', memory).status as string).toBe(status);
});

test.each([
  ['2030-02-15', undefined, 'ok'],
  ['2030-01-10', undefined, 'warn'],
  ['2030-01-03', undefined, 'fail'],
  ['2029-12-31', 'CERT_HAS_EXPIRED', 'fail'],
  ['2030-02-15', 'SELF_SIGNED_CERT_IN_CHAIN', 'warn'],
])('on 1 January, a certificate until %s (%s) has the status %s', (day, distrust, status) => {
  const seen = { validTo: new Date(day), distrust };
  expect(certificateFinding('certificate', seen, new Date('2030-01-01')).status as string).toBe(status);
});

test('the doctor shows clocks, memory and disks of both stores of a running system', async () => {
  const found = await diagnose();
  const details = found.filter(({ check }) => /^(postgres|redis)/.test(check)).map(({ detail }) => detail);
  expect(details.filter((detail) => detail.includes('clock agrees'))).toHaveLength(2);
  expect(details.filter((detail) => detail.includes('MiB are used'))).toHaveLength(1);
  expect(details.filter((detail) => detail.includes('are free at'))).toHaveLength(2);
});

test('a certificate that is about to expire is found at the public address', async () => {
  const certificate = await makeCertificate(harness.directory);
  const server = createServer({
    key: await Bun.file(certificate.key).text(),
    cert: await Bun.file(certificate.chain).text(),
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = Object(server.address());
  const found = await diagnose({ PUBLIC_URL: `https://localhost:${port}` });
  server.close();
  expect(found.find(({ check }) => check === 'certificate localhost')).toMatchObject({
    status: 'fail',
    advice: expect.stringContaining('Renew'),
  });
  const missing = await diagnose({ PUBLIC_URL: `https://localhost:${port}` });
  expect(missing.find(({ check }) => check === 'certificate localhost')?.status).toBe('fail');
});

test('a Postgres that is behind Redis is recognised as restored', async () => {
  const [shard] = allShards;
  if (shard === undefined) throw new Error('there are no shards');
  await harness.database.sql`INSERT INTO shards (shard, epoch) VALUES (${shard}, 1) ON CONFLICT DO NOTHING`;
  const identity = await readIdentity(harness.redis, shard);
  await harness.keeper.writeMeta(shard, { mode: 'open', epoch: 1, identity });
  expect((await diagnose()).find(({ check }) => check === 'shards')?.status).toBe('ok');
  await harness.keeper.writeMeta(shard, { mode: 'recovering', epoch: 1, identity });
  expect((await diagnose()).find(({ check }) => check === 'shards')?.status).toBe('warn');
  await harness.keeper.writeMeta(shard, { mode: 'open', epoch: 2, identity });
  const found = (await diagnose()).find(({ check }) => check === 'shards');
  expect(found).toMatchObject({ status: 'fail', advice: expect.stringContaining('after-restore') });
});

test('keys that are hashed with an old or an unknown pepper are counted', async () => {
  const { userId } = await harness.createCustomer({ usd: '0' });
  const pepperOf = async (KEY_PEPPER: string) =>
    (await diagnose({ KEY_PEPPER }))
      .filter(({ check }) => check === 'key pepper')
      .map(({ status, detail }) => `${status} ${detail}`);
  const fresh = crypto.randomUUID();
  const sealedSecret = sealSecret({ keyPeppers: [harness.keyPepper] }, 'a test', 'a secret');
  expect(await pepperOf(harness.keyPepper)).toEqual(['ok every key is hashed with the current pepper']);
  expect(await pepperOf(`${fresh}\n${harness.keyPepper}`)).toEqual(['warn 2 keys still hashed with a former pepper']);
  expect(await pepperOf(fresh)).toEqual(['warn 2 keys hashed with a pepper that is not in KEY_PEPPER']);
  await harness.database.sql`
    INSERT INTO totp_factors (user_id, sealed_secret, confirmed_at) VALUES (${userId}, ${sealedSecret}, now())`;
  const former = await pepperOf(`${fresh}\n${harness.keyPepper}`);
  expect(former).toContain('warn 1 secret still encrypted with a former pepper');
  expect(await pepperOf(fresh)).toContain('warn 1 secret encrypted with a pepper that is not in KEY_PEPPER');
});

test('a deployment that proxies do not use is named with its failure', async () => {
  const deployment = { deployment: 'scripted/m', requests: 9, failures: 9, meanLatencyMs: null, readyAtMs: null };
  const lastFailure = { reason: 'refused', atMs: Date.now() };
  await writeHealth(harness.redis, {
    ...{ replica: 'proxy-1', writtenAtMs: Date.now() },
    deployments: [{ ...deployment, state: 'open', lastFailure }],
  });
  const found = await diagnose();
  expect(found.find(({ check }) => check === 'deployments')?.detail).toContain('scripted/m (refused)');
});

test('a Redis that has evicted keys is a failure even after its policy was corrected', async () => {
  const redis = await startRedis({ dataDir: join(harness.directory, 'evicting'), appendOnly: false });
  const configure = (name: string, value: string) =>
    Bun.$`redis-cli -u ${redis.url} config set ${name} ${value}`.quiet();
  await configure('maxmemory-policy', 'allkeys-lru');
  await configure('maxmemory', '3mb');
  for (let index = 0; index < 40; index += 1)
    await Bun.$`redis-cli -u ${redis.url} setrange key${index} 100000 x`.quiet();
  await configure('maxmemory-policy', 'noeviction');
  const found = await diagnose({ REDIS_URL: redis.url });
  await redis.stop();
  expect(found.find(({ detail }) => detail.includes('evicted key'))?.status).toBe('fail');
});

test('a Redis without a memory limit is a failure, and one without a password is named', async () => {
  const redis = await startRedis({ dataDir: join(harness.directory, 'unlimited'), appendOnly: false });
  const found = async (url: string) =>
    (await diagnose({ REDIS_URL: url })).map(({ status, detail }) => `${status} ${detail.split(',')[0]}`);
  await Bun.$`redis-cli -u ${redis.url} config set maxmemory 0`.quiet();
  const unlimited = await found(redis.url);
  expect(unlimited).toContain('fail maxmemory is not set');
  expect(unlimited).toContain('warn REDIS_URL has no password');
  expect(unlimited.filter((line) => line.includes('MiB'))).toEqual([]);
  await Bun.$`redis-cli -u ${redis.url} config set maxmemory 1gb requirepass secret`.quiet();
  const limited = await found(redis.url.replace('//', '//:secret@'));
  await redis.stop();
  expect(limited.filter((line) => /maxmemory is not set|no password/.test(line))).toEqual([]);
  expect(limited.filter((line) => line.includes('MiB'))).toHaveLength(1);
});
